//! Go.

use super::{assert_calls, assert_hierarchy, assert_links};
use fourfold_code_graph::link::EdgeKind;

const MOD: (&str, &str) = ("go.mod", "module example.com/app // the app\n\ngo 1.22\n");

const MAIN: (&str, &str) = (
    "main.go",
    r#"
package main

import (
	"fmt"
	"net/http"

	db "example.com/app/store"
	. "example.com/app/text"
)

type server struct {
	store *db.Store
	*logger
	hook func(string) *db.Store
}

type logger struct{ prefix string }

func (l *logger) log(line string) { fmt.Println(l.prefix, line) }

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	s.log("handle")
	item, err := s.store.Get("a")
	if err != nil {
		panic(err)
	}
	item.Show()
	s.hook("x").Put(item)
	w.Write(nil)
	http.HandleFunc("/", s.handle)
	store := other()
	store.log("shadow")
	r.Context().Done()
}

func other() *logger { return &logger{} }

func main() {
	s := &server{store: db.Open(), logger: new(logger)}
	s.handle(nil, nil)
	Upper("x")
	run(s.handle)
	f := func(s *db.Store) { s.Get("b") }
	f(nil)
	len("x")
	for _, item := range db.Open().All() {
		item.Show()
	}
	var handler Handler = s.handle
	handler(nil, nil)
	Handler(s.handle).Serve()
}

type Handler func(http.ResponseWriter, *http.Request)

func (h Handler) Serve() { h(nil, nil) }

func run(f Handler) { f(nil, nil) }

func init() { other() }
"#,
);

const STORE: (&str, &str) = (
    "store/store.go",
    r#"
package store

// Item is kept.
type Item struct{ Name string }

func (i Item) Show() string { return i.Name }

type Shower interface{ Show() string }

type Getter interface {
	Shower
	Get(name string) (*Item, error)
}

type Store struct {
	items map[string]*Item
	list  Items
	cache cache[Item]
}

type Items []*Item

func (l Items) First() *Item { return l[0] }

type cache[T any] struct{ value T }

func (c *cache[T]) get() T { return c.value }

func Open() *Store { return &Store{items: make(map[string]*Item)} }

func (s *Store) Get(name string) (*Item, error) {
	if item, ok := s.items[name]; ok {
		item.Show()
		return item, nil
	}
	s.list.First().Show()
	for _, item := range s.list {
		item.Show()
	}
	s.cache.get().Show()
	return find(s, name)
}

func (s *Store) All() Items { return s.list }
"#,
);

const FIND: (&str, &str) = (
    "store/find.go",
    r#"
package store

func find(from Getter, name string) (*Item, error) {
	switch known := from.(type) {
	case *Store:
		known.Put(&Item{Name: name})
	default:
		known.Get(name)
	}
	store, ok := from.(*Store)
	if ok {
		store.Put(nil)
	}
	first(store.list).Show()
	return from.Get(name)
}

func first[T any](list []T) T { return list[0] }

func (s *Store) Put(item *Item) { s.items[item.Name] = item }
"#,
);

const TEXT: (&str, &str) = (
    "text/text.go",
    "package text\n\nfunc Upper(s string) string { return s }\n",
);

const TEST: (&str, &str) = (
    "store/store_test.go",
    r#"
package store_test

import (
	"testing"

	"example.com/app/store"
)

func TestOpen(t *testing.T) {
	t.Run("open", func(t *testing.T) { store.Open().Get("a") })
}
"#,
);

#[test]
fn packages_receivers_embedding_results_and_values() {
    assert_calls(
        &[MOD, MAIN, STORE, FIND, TEXT, TEST],
        "
        main.go logger.log -> ! fmt.Println [calls]
        main.go server.handle -> main.go logger.log [calls typed]
        main.go server.handle -> store/store.go Store.Get [calls typed]
        main.go server.handle -> ! panic [calls]
        main.go server.handle -> store/store.go Item.Show [calls inferred]
        main.go server.handle -> store/find.go Store.Put [calls inferred]
        main.go server.handle -> ! net/http.ResponseWriter.Write [calls]
        main.go server.handle -> ! net/http.HandleFunc [calls]
        main.go server.handle -> main.go other [calls exact]
        main.go server.handle -> main.go logger.log [calls inferred]
        main.go server.handle -> ! net/http.Request.Context [calls]
        main.go server.handle -> ! net/http.Request.Context().Done [calls]
        main.go other -> main.go logger [instantiates exact]
        main.go main -> main.go server [instantiates exact]
        main.go main -> store/store.go Open [calls exact]
        main.go main -> ! new [calls]
        main.go main -> main.go server.handle [calls typed]
        main.go main -> text/text.go Upper [calls exact]
        main.go main -> main.go run [calls exact]
        main.go main -> store/store.go Store.Get [calls typed]
        main.go main -> ! len [calls]
        main.go main -> store/store.go Store.All [calls inferred]
        main.go main -> store/store.go Item.Show [calls inferred]
        main.go main -> main.go Handler [instantiates exact]
        main.go main -> main.go Handler.Serve [calls typed]
        main.go init -> main.go other [calls exact]
        store/store.go Open -> store/store.go Store [instantiates exact]
        store/store.go Open -> ! make [calls]
        store/store.go Store.Get -> store/store.go Item.Show [calls inferred]
        store/store.go Store.Get -> store/store.go Items.First [calls typed]
        store/store.go Store.Get -> store/store.go cache.get [calls typed]
        store/store.go Store.Get -> store/find.go find [calls exact]
        store/find.go find -> store/find.go Store.Put [calls typed]
        store/find.go find -> store/store.go Item [instantiates exact]
        store/find.go find -> store/store.go Getter.Get [calls typed]
        store/find.go find -> store/find.go first [calls exact]
        store/find.go find -> store/store.go Item.Show [calls inferred]
        store/store_test.go TestOpen -> ! testing.T.Run [calls]
        store/store_test.go TestOpen -> store/store.go Open [calls exact]
        store/store_test.go TestOpen -> store/store.go Store.Get [calls inferred]
        ",
    );
}

#[test]
fn embedding_and_interfaces() {
    assert_hierarchy(
        &[MOD, MAIN, STORE, FIND, TEXT],
        "
        main.go server -> main.go logger [mixes_in exact]
        store/store.go Getter -> store/store.go Shower [extends exact]
        store/store.go Item -> store/store.go Shower [implements inferred]
        store/store.go Item.Show -> store/store.go Shower.Show [overrides inferred]
        ",
    );
}

#[test]
fn imports_and_functions_as_values() {
    assert_links(
        &[
            MOD,
            (
                "main.go",
                "package main\n\nimport \"example.com/app/a\"\n\nfunc main() { a.Do(a.Help); a.Do(local) }\n\nfunc local() {}\n",
            ),
            (
                "a/a.go",
                "package a\n\nvar Default = Help\n\nfunc Do(f func()) { f() }\n\nfunc Help() {}\n",
            ),
        ],
        &[EdgeKind::References],
        "
        main.go main -> a/a.go Help [references exact]
        main.go main -> main.go local [references exact]
        a/a.go Default -> a/a.go Help [references exact]
        ",
    );
}

#[test]
fn a_type_fulfils_an_interface_by_its_methods() {
    assert_links(
        &[
            MOD,
            (
                "shape.go",
                r#"
package main

type Shape interface {
	Area() float64
	Scale(by int, more ...string) error
}

type Named interface {
	Shape
	Name() string
}

type Sq struct{ s float64 }

func (q Sq) Area() float64 { return q.s * q.s }

type Circ struct{ *Sq }

func (c *Circ) Name() string { return "" }

// One parameter too few.
type Half struct{}

func (h Half) Area() float64              { return 0 }
func (h Half) Scale(by int) error         { return nil }

// Another type of parameter.
type Other struct{}

func (o Other) Area() float64                          { return 0 }
func (o Other) Scale(by Sq, more ...string) error      { return nil }

func Sum(xs []Shape) (t float64) {
	for _, x := range xs {
		t += x.Area()
	}
	return
}
"#,
            ),
            (
                "scale.go",
                r#"
package main

func (q *Sq) Scale(factor int, names ...string) error { return nil }
"#,
            ),
        ],
        &[EdgeKind::Implements, EdgeKind::Overrides],
        "
        shape.go Sq -> shape.go Shape [implements inferred]
        shape.go Sq.Area -> shape.go Shape.Area [overrides inferred]
        scale.go Sq.Scale -> shape.go Shape.Scale [overrides inferred]
        shape.go Circ -> shape.go Shape [implements inferred]
        shape.go Circ -> shape.go Named [implements inferred]
        shape.go Circ.Name -> shape.go Named.Name [overrides inferred]
        ",
    );
}
