#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

typedef enum { RED, GREEN = 5, BLUE } colour;

struct point {
    int32_t x, y;
    union { float f; uint32_t bits; } weight;
};

typedef int (*compare_fn)(const void *, const void *);

static inline int by_x(const void *a, const void *b) {
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

_Static_assert(sizeof(uint32_t) == 4, "32 bits");

int main(int argc, char *argv[argc + 1]) {
    struct point points[] = {
        { .x = 3, .y = -1, .weight = { .f = 1.5f } },
        [1] = { 1, 2, { .bits = 0x3fu } },
    };
    compare_fn compare = &by_x;
    qsort(points, LENGTH(points), sizeof *points, compare);
    for (size_t i = 0; i < LENGTH(points); ++i) {
        switch (points[i].x) {
        case RED:
            goto done;
        default:
            printf("%d: %s\n", points[i].x, argc > 1 ? argv[1] : "none");
        }
    }
done:
    return EXIT_SUCCESS;
}
