//! What is told as unused, and is not.

use super::{Checkout, group};
use fourfold_code_graph::query::{CallRequest, UnreferencedRequest};

fn told(checkout: &Checkout, title: &str) -> Vec<String> {
    let answer = checkout.ask(|inquiry| inquiry.unreferenced(&UnreferencedRequest::default()));
    group(&answer, title)
}

#[test]
fn each_of_several_definitions_under_conditions_is_used() {
    let checkout = Checkout::of(
        "\
== compat.py
import sys
import typing as t

if sys.platform.startswith('win'):
    def _encoding():
        return 'a'
else:
    def _encoding():
        return 'b'

if t.TYPE_CHECKING:
    class _Info(dict):
        pass
else:
    class _Info(dict):
        pass

try:
    from fast import _load
except ImportError:
    def _load():
        return 1

def _twice():
    return 1

def _twice():
    return 2

def main() -> _Info:
    _load()
    _twice()
    return _encoding()
",
    );
    // The first `_twice` is hidden by the second wherever it is called.
    assert_eq!(
        told(&checkout, "no known use, the largest first"),
        ["compat.py _twice"]
    );
    let answer = checkout.ask(|inquiry| inquiry.callees(&CallRequest::named("main")));
    assert_eq!(
        group(&answer, "callees"),
        ["compat.py _load [exact]", "compat.py _twice [exact]"]
    );
    assert_eq!(
        group(&answer, "less sure"),
        ["compat.py _encoding [candidate]"; 2]
    );
}

#[test]
fn a_method_of_go_is_used_when_the_interface_is_that_it_fulfils() {
    let checkout = Checkout::of(
        "\
== route.go
package mux

type matcher interface {
	match(path string) bool
}

type idle interface {
	rest(path string) bool
}

type headers struct{}

func (h headers) match(path string) bool { return true }

func (h headers) rest(path string) bool { return true }

type Route struct {
	matchers []matcher
}

func (r *Route) Match(path string) bool {
	r.matchers = append(r.matchers, headers{})
	for _, m := range r.matchers {
		if m.match(path) {
			return true
		}
	}
	return false
}
== route_test.go
package mux

import \"testing\"

func TestHeaders(t *testing.T) {
	var h headers
	h.match(\"a\")
	h.rest(\"a\")
}
",
    );
    assert_eq!(
        told(&checkout, "used by tests only"),
        ["route.go headers.rest"]
    );
}
