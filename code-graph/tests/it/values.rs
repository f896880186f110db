//! Constants and variables that are used without being called: in every position of an expression,
//! in the file and in another one of the same package.

use crate::index::{Project, refresh};
use fourfold_code_graph::link::EdgeKind;

/// The lines, from 1, on which constants of a project are used, by `file:line name`, sorted.
fn uses(files: &[(&str, &str)]) -> Vec<String> {
    let project = Project::new(files);
    let index = project.open();
    refresh(&index);
    let graph = index.graph();
    let mut uses: Vec<String> = graph
        .edges()
        .iter()
        .filter(|edge| matches!(edge.kind, EdgeKind::References | EdgeKind::Writes))
        .map(|edge| {
            let (file, name) = (&graph.file(edge.from).path, graph.name(edge.to));
            format!("{file}:{} {name}", edge.row + 1)
        })
        .filter(|one| {
            one.rsplit(' ')
                .next()
                .is_some_and(|name| name.starts_with('K'))
        })
        .collect();
    uses.sort();
    uses.dedup();
    uses
}

/// Each line of the texts that has one of the names, but those that declare them (with `//D`).
fn expected(files: &[(&str, &str)]) -> Vec<String> {
    let mut uses = Vec::new();
    for (file, text) in files {
        for (number, line) in (1..).zip(text.lines()) {
            if line.contains("//D") {
                continue;
            }
            let words = line.split(|c: char| !c.is_alphanumeric());
            for name in words.filter(|word| word.starts_with('K') && word.len() > 1) {
                uses.push(format!("{file}:{number} {name}"));
            }
        }
    }
    uses.sort();
    uses.dedup();
    uses
}

fn all_are_found(files: &[(&str, &str)]) {
    assert_eq!(uses(files), expected(files));
}

#[test]
fn of_go() {
    let declared = "package a

const (
	K1 = 1 //D
	K2 = 2 //D
)

var K3 = []int{1} //D
var K4 bool //D
";
    let used = "package a

func g(x int) int { return x }

type S struct{ n int }

func f(x int, a []int, b bool, c chan int) int {
	if x == K1 {
		return g(K2)
	}
	switch x {
	case K1, 7:
		return a[K2]
	case 9:
		return -K1
	}
	if K4 {
		return K3[0]
	}
	if !K4 && b {
		return (K1)
	}
	for K4 {
		c <- K1
	}
	switch K1 {
	}
	y := K2
	var z = K1
	s := S{n: K1}
	a = a[K1:K2]
	y = K1
	for i := range K3 {
		y += i
	}
	if x < K1 || x > K2 {
		return s.n + y + z
	}
	K4 = true
	return K1 + x, K2
}
";
    let both = format!("{declared}{}", used.replace("package a", ""));
    all_are_found(&[("go.mod", "module m\n"), ("a.go", &both)]);
    all_are_found(&[("go.mod", "module m\n"), ("a.go", declared), ("b.go", used)]);
    let other = used
        .replace("package a", "package o\n\nimport \"m/p\"")
        .replace("K1", "p.K1")
        .replace("K2", "p.K2")
        .replace("K3", "p.K3")
        .replace("K4", "p.K4");
    all_are_found(&[
        ("go.mod", "module m\n"),
        ("p/a.go", &declared.replace("package a", "package p")),
        ("o/b.go", &other),
    ]);
}

#[test]
fn of_java() {
    all_are_found(&[(
        "A.java",
        "package a;
class A {
	static final int K1 = 1; //D
	static final int K2 = 2; //D
	static int[] K3 = {1}; //D
	static boolean K4; //D
	int n = K1;
	int f(int x, int[] a, boolean b) {
		if (x == K1) { return f(K2, a, b); }
		switch (x) {
		case K1: return a[K2];
		case 9: return -K1;
		}
		if (K4) { return K3[0]; }
		if (!K4 && b) { return (K1); }
		while (K4) { x += K1; }
		int y = K2;
		y = K1;
		for (int i : K3) { y += i; }
		y = x < K1 ? K1 : K2;
		int[] c = {K1, K2};
		int[] d = new int[K2];
		A.K4 = true;
		K4 = false;
		return K1 + x;
	}
}
",
    )]);
}

#[test]
fn of_csharp() {
    all_are_found(&[(
        "a.cs",
        "namespace N {
class A {
	const int K1 = 1; //D
	const int K2 = 2; //D
	static int[] K3 = { 1 }; //D
	static bool K4; //D
	int n = K1;
	int f(int x, int[] a, bool b) {
		if (x == K1) { return f(K2, a, b); }
		switch (x) {
		case K1: return a[K2];
		case 9: return -K1;
		}
		if (K4) { return K3[0]; }
		if (!K4 && b) { return (K1); }
		while (K4) { x += K1; }
		int y = K2;
		y = K1;
		foreach (int i in K3) { y += i; }
		y = x < K1 ? K1 : K2;
		int[] c = { K1, K2 };
		int[] d = new int[K2];
		A.K4 = true;
		K4 = false;
		return K1 + x;
	}
}
}
",
    )]);
}

#[test]
fn of_kotlin() {
    let declared = "package a
const val K1 = 1 //D
const val K2 = 2 //D
val K3 = listOf(1) //D
var K4 = false //D
";
    let used = "package a
fun f(x: Int, a: List<Int>, b: Boolean): Int {
	if (x == K1) { return f(K2, a, b) }
	when (x) {
		K1 -> return a[K2]
		9 -> return -K1
	}
	if (K4) { return K3[0] }
	if (!K4 && b) { return (K1) }
	while (K4) { g(K1) }
	var y = K2
	y = K1
	for (i in K3) { y += i }
	y = if (x < K1) K1 else K2
	K4 = true
	return K1 + x
}
fun g(x: Int) = K1
";
    all_are_found(&[("a.kt", declared), ("b.kt", used)]);
}

#[test]
fn of_c() {
    all_are_found(&[(
        "a.c",
        "enum e { K1, K2 }; //D
static int K3[1]; //D
static int K4; //D
int f(int x, int *a) {
	if (x == K1) { return f(K2, a); }
	switch (x) {
	case K1: return a[K2];
	case 9: return -K1;
	}
	if (K4) { return K3[0]; }
	if (!K4 && x) { return (K1); }
	while (K4) { x += K1; }
	int y = K2;
	y = K1;
	y = x < K1 ? K1 : K2;
	int c[] = {K1, K2};
	a = &K4;
	K4 = 1;
	return K1 + x;
}
",
    )]);
}

#[test]
fn of_php() {
    all_are_found(&[(
        "a.php",
        "<?php
const K1 = 1; //D
const K2 = 2; //D
function f($x, $a, $b) {
	if ($x == K1) { return f(K2, $a, $b); }
	switch ($x) {
	case K1: return $a[K2];
	case 9: return -K1;
	}
	if (K2) { return K1; }
	if (!K2 && $b) { return (K1); }
	while (K2) { $x += K1; }
	$y = K2;
	$y = $x < K1 ? K1 : K2;
	$c = [K1, K2];
	return K1 + $x;
}
",
    )]);
}

#[test]
fn of_dart() {
    let declared = "const K1 = 1; //D
const K2 = 2; //D
final K3 = [1]; //D
bool K4 = false; //D
";
    let used = "import 'a.dart';
int f(int x, List<int> a) {
	if (x == K1) { return f(K2, a); }
	switch (x) {
	case K1: return a[K2];
	case 9: return -K1;
	}
	if (K4) { return K3[0]; }
	if (!K4 || x < K1) { return (K1); }
	while (K4) { x += K1; }
	var y = K2;
	y = K1;
	for (var i in K3) { y += i; }
	y = x < K1 ? K1 : K2;
	var c = [K1, K2];
	K4 = true;
	return K1 + x;
}
";
    all_are_found(&[("a.dart", declared), ("b.dart", used)]);
}

#[test]
fn of_scala() {
    all_are_found(&[(
        "a.scala",
        "package a
object A {
	val K1 = 1 //D
	val K2 = 2 //D
	val K3 = List(1) //D
	var K4 = false //D
	def f(x: Int, a: List[Int]): Int = {
		if (x == K1) { return f(K2, a) }
		if (K4) { return a(K2) }
		if (!K4 || x < K1) { return (K1) }
		while (K4) { f(K1, a) }
		val y = K2
		for (i <- K3) { f(i, a) }
		val z = if (x < K1) K1 else K2
		K4 = true
		return K1 + x
	}
}
",
    )]);
}

#[test]
fn of_swift() {
    all_are_found(&[(
        "a.swift",
        "let K1 = 1 //D
let K2 = 2 //D
let K3 = [1] //D
var K4 = false //D
func f(_ x: Int, _ a: [Int]) -> Int {
	if x == K1 { return f(K2, a) }
	switch x {
	default: return -K1
	}
	if K4 { return a[K2] }
	if !K4 || x < K1 { return (K1) }
	while K4 { f(K1, a) }
	var y = K2
	y = K1
	for i in K3 { y += i }
	y = x < K1 ? K1 : K2
	let c = [K1, K2]
	K4 = true
	return K1 + x
}
",
    )]);
}

#[test]
fn a_name_that_is_a_type_and_a_value_is_what_the_place_can_only_be() {
    let project = Project::new(&[
        (
            "a.ts",
            "export type OK<T> = { value: T };
export const OK = <T>(value: T): OK<T> => ({ value });
export interface Bad { no: string }
export const Bad: Bad = { no: '' };
",
        ),
        (
            "b.ts",
            "import { OK, Bad } from './a';
export function f(x: OK<number>): Bad {
  OK(1);
  return Bad;
}
",
        ),
    ]);
    let index = project.open();
    refresh(&index);
    let graph = index.graph();
    let mut edges: Vec<String> = graph
        .edges()
        .iter()
        .filter(|edge| graph.file(edge.from).path == "b.ts" && edge.row > 0)
        .filter(|edge| edge.kind != EdgeKind::Imports)
        .map(|edge| {
            let kind = graph
                .kind(edge.to)
                .map(fourfold_code_graph::facts::SymbolKind::word);
            let (row, name) = (edge.row, graph.name(edge.to));
            format!(
                "{row} {:?} {} {name} {:?}",
                edge.kind,
                kind.unwrap_or(""),
                edge.certainty
            )
        })
        .collect();
    edges.sort();
    assert_eq!(
        edges,
        [
            "1 UsesType interface Bad Exact",
            "1 UsesType type_alias OK Exact",
            "2 Calls function OK Exact",
            "3 References constant Bad Exact",
        ]
    );
}
