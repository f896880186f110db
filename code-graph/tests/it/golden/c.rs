//! C: prototypes, statics of one name, function pointers, macros.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "include/cart.h",
        r#"#ifndef CART_H
#define CART_H
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct cart { int n; int (*cmp)(int, int); } cart_t;
int cart_add(cart_t *c, int v);
int cart_gone(void);
#endif
"#,
    ),
    (
        "src/cart.c",
        r#"#include "cart.h"
#include <stdlib.h>
#define CHECK(x) ((x) > 0)

static int helper(int x) { return MAX(x, 1); }

/* Adds. */
int cart_add(cart_t *c, int v) {
    c->cmp(1, 2);
    return CHECK(v) ? helper(v) : 0;
}

static int by_size(int a, int b) { return a - b; }

void cart_sort(cart_t *c) {
    qsort(c, 1, 2, by_size);
    c->cmp = by_size;
}
"#,
    ),
    (
        "src/main.c",
        r#"#include "cart.h"

/* The same name in another file. */
static int helper(int x) { return x; }

int fact(int n) { return n ? n * fact(n - 1) : 1; }

int main(void) {
    cart_t cart = { 1, helper };
    cart_add(&cart, helper(2));
    cart_gone();
    CHECK(1);
    int (*f)(int) = fact;
    return f(3);
}
"#,
    ),
];

#[test]
fn calls_go_to_definitions_and_statics_stay_in_their_file() {
    expect![[r#"
        src/cart.c cart_add -> ? cmp [calls]
        src/cart.c cart_add -> src/cart.c CHECK [calls exact]
        src/cart.c cart_add -> src/cart.c helper [calls exact]
        src/cart.c helper -> include/cart.h MAX [calls exact]
        src/main.c fact -> src/main.c fact [calls exact]
        src/main.c main -> include/cart.h cart [instantiates exact]
        src/main.c main -> include/cart.h cart_gone [calls exact]
        src/main.c main -> src/cart.c cart_add [calls exact]
        src/main.c main -> src/main.c fact [calls inferred]
        src/main.c main -> src/main.c helper [calls exact]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn functions_that_are_passed_or_stored_are_used() {
    let uses = Project::new(FILES).edges(&[EdgeKind::References, EdgeKind::Imports]);
    for line in [
        "src/cart.c cart_sort -> src/cart.c by_size [references exact]",
        "src/main.c main -> src/main.c helper [references exact]",
        "src/cart.c -> include/cart.h [imports exact]",
    ] {
        assert!(uses.contains(line), "{line} is not in\n{uses}");
    }
}
