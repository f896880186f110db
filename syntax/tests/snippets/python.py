from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    price: float = 0.0
    tags: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{self.name!r:>10} {self.price:.2f} {'sale' if self.price < 1 else ''}"


type Check[T] = Callable[[T], bool]


class Cart[T: Item]:
    def __init__(self, *items: T, owner: str | None = None, **extra: object) -> None:
        self.items = [*items]
        self.owner = owner
        self.extra = {"a": 1, **extra}

    async def lines(self) -> AsyncIterator[str]:
        for item in self.items:
            await asyncio.sleep(0)
            yield item.label

    def classify(self, thing: object) -> str:
        match thing:
            case Item(name="pen", price=p) if p > 1:
                return "pen"
            case [first, *_] | (first, _):
                return str(first)
            case {"kind": kind, **rest}:
                return f"{kind}"
            case _:
                return "other"


def total(cart: Cart[Item], /, *, rounded: bool = False) -> float:
    if (n := len(cart.items)) > 10:
        print(n, end="")
    try:
        value = sum(i.price for i in cart.items if i.price)
    except* (ValueError, TypeError) as errors:
        raise RuntimeError("no total") from errors
    else:
        return round(value) if rounded else value
