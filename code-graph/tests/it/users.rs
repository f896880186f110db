//! Which files an edit concerns. What concerns whom was worked out by the languages' rules.

use crate::index::{Project, refresh};
use fourfold_code_graph::query::{
    EditedFile, Reader, Stake, UserFile, is_within_bodies, lost_users, users,
};
use std::sync::Arc;

/// A project written as one text: `== path` begins a file. In the file that is edited, a line that
/// ends with `#-` is taken away or changed, and `#+` stands where lines come in.
fn concerned(text: &str, path: &str) -> Vec<(String, Stake, Vec<u32>)> {
    let parts = text.split("== ").skip(1);
    let files: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
    let mut edit = EditedFile {
        path: path.to_owned(),
        ..EditedFile::default()
    };
    let mut before = Vec::new();
    let plain: Vec<(&str, String)> = files
        .iter()
        .map(|(name, text)| {
            let mut kept = String::new();
            for line in text.lines() {
                if *name == path && line.trim() == "#+" {
                    let row = kept.lines().count() as u32;
                    edit.rows.push(row..row);
                    continue;
                }
                if *name == path && line.ends_with("#-") {
                    let row = kept.lines().count() as u32;
                    edit.rows.push(row..row + 1);
                }
                kept.push_str(line.trim_end_matches("#-").trim_end());
                kept.push('\n');
            }
            if *name == path {
                before.push(kept.clone());
            }
            (*name, kept)
        })
        .collect();
    edit.text = before.pop();
    let plain: Vec<(&str, &str)> = plain
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let project = Project::new(&plain);
    let index = project.open();
    refresh(&index);
    told(users(&index.graph(), &[edit]))
}

fn told(users: Vec<UserFile>) -> Vec<(String, Stake, Vec<u32>)> {
    let told = users.into_iter();
    told.map(|user| (user.path, user.stake, user.rows))
        .collect()
}

fn is(path: &str, stake: Stake, rows: &[u32]) -> (String, Stake, Vec<u32>) {
    (path.to_owned(), stake, rows.to_vec())
}

const SHOP: &str = "\
== shop/__init__.py
from .cart import Cart
from .cart import LIMIT as MAX
== shop/cart.py
LIMIT = 3

class Cart:
    def add(self, item: str) -> int:
        return self.count(item)

    def count(
        self,
        item: str,
    ) -> int:
        return 1
== shop/big.py
from .cart import Cart

class Big(Cart):
    def size(self) -> int:
        return 2
== tests/test_cart.py
from shop import Cart

def test_add():
    cart = Cart()
    assert cart.add('x') == 1
== tests/test_limit.py
from shop import MAX

def test_limit():
    assert MAX == 3
== kept.py
from shop import Cart

KIND = Cart
== other.py
def add(log):
    log.add(1)
    log.count()
";

/// `SHOP` with one line changed in `cart.py`.
fn shop(line: &str, marked: &str) -> Vec<(String, Stake, Vec<u32>)> {
    assert_eq!(SHOP.matches(line).count(), 1, "{line}");
    concerned(&SHOP.replace(line, marked), "shop/cart.py")
}

#[test]
fn a_renamed_method_concerns_its_callers_and_who_inherits() {
    let line = "    def add(self, item: str) -> int:\n";
    assert_eq!(
        shop(line, "    def add(self, item: str) -> int: #-\n"),
        [
            is("tests/test_cart.py", Stake::Declaration, &[3, 4]),
            is("other.py", Stake::Declaration, &[1]),
            is("kept.py", Stake::Members, &[2]),
            is("shop/big.py", Stake::Members, &[2]),
        ],
        "the receiver in `other.py` is not known"
    );
}

#[test]
fn a_changed_body_concerns_the_callers_where_its_type_follows_from_it() {
    let line = "        return self.count(item)\n";
    assert_eq!(shop(line, "        return self.count(item) #-\n"), []);

    let text = SHOP.replace(
        "def add(self, item: str) -> int:",
        "def add(self, item: str):",
    );
    let text = text.replace(line, "        return self.count(item) #-\n");
    assert_eq!(
        concerned(&text, "shop/cart.py"),
        [is("tests/test_cart.py", Stake::Body, &[4])]
    );
}

#[test]
fn what_follows_from_what_is_touched_concerns_its_users() {
    let text = "\
== a.py
def width():
    return 1 #-
== b.py
from a import width

def area():
    return width() * 2

def told() -> int:
    return width()

SIZE = width()
== c.py
from b import area

print(area().bit_length())
== d.py
from b import told

print(told())
== e.py
import b

def half():
    return b.SIZE / 2
== f.py
from e import half

half()
== g.py
def area():
    return 1
";
    assert_eq!(
        concerned(text, "a.py"),
        [
            is("b.py", Stake::Body, &[0, 3, 6, 8]),
            is("c.py", Stake::Follows, &[0, 2]),
            is("f.py", Stake::Follows, &[0, 2]),
            is("e.py", Stake::Follows, &[3]),
        ]
    );
    let text = text.replace("def width():", "def width() -> int:");
    assert_eq!(concerned(&text, "a.py"), []);
}

#[test]
fn what_is_written_down_does_not_follow() {
    let text = "\
== a.ts
export function width() {
  return 1; #-
}
== b.ts
import { width } from './a';
export const area = () => width() * 2;
export function told(): number {
  return width();
}
export const size: number = width();
== c.ts
import { area } from './b';
area();
== d.ts
import { told, size } from './b';
told() + size;
";
    assert_eq!(
        concerned(text, "a.ts"),
        [
            is("b.ts", Stake::Body, &[0, 1, 3, 5]),
            is("c.ts", Stake::Follows, &[0, 1]),
        ]
    );
}

#[test]
fn a_parameter_on_a_line_of_its_own_is_part_of_the_declaration() {
    let line = "        item: str,\n";
    assert_eq!(
        shop(line, "        item: str, #-\n"),
        [
            is("other.py", Stake::Declaration, &[2]),
            is("kept.py", Stake::Members, &[2]),
            is("shop/big.py", Stake::Members, &[2]),
            is("tests/test_cart.py", Stake::Members, &[3]),
        ]
    );
}

#[test]
fn a_new_member_concerns_who_inherits_or_makes_values() {
    let line = "\n    def count(\n";
    assert_eq!(
        shop(line, "\n#+\n    def count(\n"),
        [
            is("shop/big.py", Stake::Members, &[2]),
            is("tests/test_cart.py", Stake::Members, &[3]),
        ]
    );
}

#[test]
fn a_constant_concerns_those_that_know_it_by_another_name() {
    assert_eq!(
        shop("LIMIT = 3\n", "LIMIT = 3 #-\n"),
        [
            is("tests/test_limit.py", Stake::Declaration, &[0, 3]),
            is("shop/__init__.py", Stake::Declaration, &[1]),
        ]
    );
}

#[test]
fn a_name_that_is_handed_on_no_more_concerns_those_who_got_it_there() {
    let line = "from .cart import LIMIT as MAX\n";
    let text = SHOP.replace(line, "from .cart import LIMIT as MAX #-\n");
    assert_eq!(
        concerned(&text, "shop/__init__.py"),
        [is("tests/test_limit.py", Stake::Declaration, &[0, 3])]
    );
}

#[test]
fn a_new_member_of_an_interface_concerns_all_who_promise_it() {
    let text = "\
== shape.ts
export interface Shape {
  area(): number;
#+
}
== square.ts
import { Shape } from './shape';
export class Square implements Shape {
  area() { return 1; }
}
== literal.ts
import { Shape } from './shape';
export const unit: Shape = { area: () => 1 };
== apart.ts
export const area = 2;
";
    assert_eq!(
        concerned(text, "shape.ts"),
        [
            is("literal.ts", Stake::Members, &[1]),
            is("square.ts", Stake::Members, &[1]),
        ]
    );
}

#[test]
fn a_file_that_goes_concerns_all_who_use_anything_of_it() {
    let parts = SHOP.split("== ").skip(1);
    let files: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
    let project = Project::new(&files);
    let index = project.open();
    refresh(&index);
    let gone = EditedFile {
        path: "shop/cart.py".to_owned(),
        gone: true,
        ..EditedFile::default()
    };
    let mut concerned: Vec<String> = users(&index.graph(), &[gone])
        .into_iter()
        .filter(|user| user.stake == Stake::Declaration)
        .map(|user| user.path)
        .collect();
    concerned.sort();
    assert_eq!(
        concerned,
        [
            "kept.py",
            "other.py",
            "shop/__init__.py",
            "shop/big.py",
            "tests/test_cart.py",
            "tests/test_limit.py"
        ]
    );
}

#[test]
fn an_edit_within_bodies_is_told_from_one_of_what_is_declared() {
    let text = "import os\n\nclass A:\n    size = 1\n\n    def f(self) -> int:\n        x = 1\n        return x\n\n\ndef g():\n    return 2\n";
    let project = Project::new(&[("a.py", text)]);
    let index = project.open();
    refresh(&index);
    let come_in = |path: &str, rows: std::ops::Range<u32>, lines: &[&str]| {
        let edit = EditedFile {
            path: path.to_owned(),
            rows: vec![rows],
            text: Some(text.to_owned()),
            gone: false,
        };
        is_within_bodies(&index.graph(), &edit, lines.iter().copied())
    };
    let within = |path: &str, rows| come_in(path, rows, &[]);
    // Lines of bodies, changed, taken away, or put between others.
    for rows in [6..7, 6..8, 7..7, 11..12] {
        assert!(within("a.py", rows.clone()), "{rows:?}");
    }
    // An import, a field, a head, what comes in between two members or functions, two of them.
    for rows in [0..1, 3..4, 5..6, 2..3, 4..4, 9..9, 10..11, 7..12] {
        assert!(!within("a.py", rows.clone()), "{rows:?}");
    }
    assert!(!within("b.py", 6..7));
    // What comes in for the last line of a method: lines of its body, another method, a function.
    assert!(come_in(
        "a.py",
        7..8,
        &["        y = x", "", "        return y"]
    ));
    assert!(!come_in(
        "a.py",
        7..8,
        &["        return x", "", "    def h(self): pass"]
    ));
    assert!(!come_in(
        "a.py",
        7..8,
        &["        return x", "def h(): pass"]
    ));
    // The same line is deep enough for one of two functions and not for the other.
    assert!(come_in("a.py", 11..12, &["    return 3"]));
    assert!(!come_in("a.py", 7..8, &["    return 3"]));
    let gone = EditedFile {
        path: "a.py".to_owned(),
        gone: true,
        ..EditedFile::default()
    };
    assert!(!is_within_bodies(&index.graph(), &gone, []));
}

#[test]
fn a_file_that_went_unseen_concerns_those_whose_imports_lead_nowhere() {
    let project = Project::new(&[
        ("shop/__init__.py", "from .cart import Cart\n"),
        ("shop/a.py", "import shop.cart\n\nshop.cart.Cart()\n"),
        ("shop/b.py", "from shop import cart\n\ncart.Cart()\n"),
        ("shop/c.py", "from . import cart as c\n\nc.Cart()\n"),
        ("d.ts", "import { Cart } from './cart';\nnew Cart();\n"),
        ("e.py", "from carts import Cart\n\ncart = Cart()\n"),
        ("pack/f.py", "from .cart import g\n"),
    ]);
    let index = project.open();
    refresh(&index);
    struct Texts<'p>(&'p Project);
    impl Reader for Texts<'_> {
        fn read(&self, path: &str) -> Option<Arc<str>> {
            let text = std::fs::read_to_string(self.0.root().join(path)).ok()?;
            Some(text.into())
        }
    }
    let lost = |path| told(lost_users(&index.graph(), path, &Texts(&project)));
    assert_eq!(
        lost("shop/cart.py"),
        [
            is("d.ts", Stake::Declaration, &[0]),
            is("pack/f.py", Stake::Declaration, &[0]),
            is("shop/__init__.py", Stake::Declaration, &[0]),
            is("shop/a.py", Stake::Declaration, &[0]),
            is("shop/b.py", Stake::Declaration, &[0]),
            is("shop/c.py", Stake::Declaration, &[0]),
        ],
        "not who imports `carts` and calls something `cart`"
    );
    // It was looked for outside of the checkout.
    assert_eq!(lost("carts.py"), [is("e.py", Stake::Declaration, &[0])]);
    assert_eq!(lost(".py"), []);
}
