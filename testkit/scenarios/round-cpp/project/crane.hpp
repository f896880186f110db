#pragma once

struct Crane {
    int tons;
};

inline int lift(const Crane &crane, int times)
{
    return crane.tons * times;
}
