//! Which files an edit concerns. What concerns whom was worked out by the languages' rules.

use crate::index::{Project, refresh};
use fourfold_code_graph::query::{EditedFile, Stake, UserFile, users};

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
fn a_changed_body_concerns_its_callers_alone() {
    let line = "        return self.count(item)\n";
    assert_eq!(
        shop(line, "        return self.count(item) #-\n"),
        [is("tests/test_cart.py", Stake::Body, &[4])]
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
