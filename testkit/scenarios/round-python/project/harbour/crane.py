class Crane:
    def __init__(self, tons: int) -> None:
        self.tons = tons


def lift(crane: Crane, times: int) -> int:
    return crane.tons * times
