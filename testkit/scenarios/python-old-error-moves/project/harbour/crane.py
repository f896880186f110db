class Crane:
    def __init__(self, tons: int) -> None:
        self.tons = tons


def lift(crane: Crane) -> int:
    return crane.load
