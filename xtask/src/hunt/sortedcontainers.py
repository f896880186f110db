from sortedcontainers import SortedDict, SortedList, SortedSet


def small(values):
    found = SortedList()
    found._reset(4)
    found.update(values)
    return found


def test_a_list_stays_sorted():
    found = small([5, 1, 4])
    for value in [9, 2, 6, 5, 3, 5, 8, 9, 7, 9]:
        found.add(value)
    assert list(found) == sorted([5, 1, 4, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9])
    found._check()


def test_places_of_values():
    found = small(range(0, 60, 2))
    assert [found.bisect_left(n) for n in (0, 7, 30, 99)] == [0, 4, 15, 30]
    assert [found.bisect_right(n) for n in (0, 7, 30, 99)] == [1, 4, 16, 30]
    assert found.index(30) == 15
    assert [found[n] for n in (0, 3, 17, -1, -9)] == [0, 6, 34, 58, 42]
    assert found.count(30) == 1


def test_removal():
    found = small(range(40))
    for value in range(0, 40, 3):
        found.remove(value)
    assert found.pop() == 38
    assert found.pop(0) == 1
    del found[5:9]
    found._check()
    assert list(found)[:8] == [2, 4, 5, 7, 8, 16, 17, 19]


def test_ranges():
    found = small(range(30))
    assert list(found.irange(5, 9)) == [5, 6, 7, 8, 9]
    assert list(found.irange(5, 9, (False, False), reverse=True)) == [8, 7, 6]
    assert list(found.islice(3, 11)) == list(range(3, 11))


def test_dicts_and_sets():
    prices = SortedDict({"b": 2, "c": 3, "a": 1})
    assert prices.popitem() == ("c", 3)
    assert prices.peekitem(0) == ("a", 1)
    assert prices.setdefault("z", 26) == 26
    assert list(prices.items()) == [("a", 1), ("b", 2), ("z", 26)]
    few = SortedSet([3, 1, 2])
    assert list(few | {9, 0}) == [0, 1, 2, 3, 9]
    assert few.isdisjoint([7, 8])
