#include "crane.hpp"

int main()
{
    return lift(Crane{40}, 3);
}
