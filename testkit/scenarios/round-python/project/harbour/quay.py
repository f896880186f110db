from harbour.crane import Crane, lift


def unload() -> int:
    return lift(Crane(40), 3)
