def lift(tons: int, times: int) -> int:
    return tons * times
