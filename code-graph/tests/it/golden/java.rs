//! Java.

use super::{assert_calls, assert_hierarchy, assert_links};
use fourfold_code_graph::link::EdgeKind;

const SHAPES: (&str, &str) = (
    "shop/Shapes.java",
    r#"
package shop;

import java.util.ArrayList;
import java.util.List;
import static shop.util.Text.join;
import shop.util.*;

interface Shape { int area(); default String show() { return join("a", "b"); } }

abstract class Base implements Shape {
  protected final int side;
  Base(int side) { this.side = side; }
  Base() { this(1); }
  public int area() { return side * side(); }
  int side() { return side; }
}

class Square extends Base {
  private Square next;
  Square(int side) { super(side); }
  int side() { return super.side() + Numbers.twice(side); }
  Square next() { return next; }
  static Square unit() { return new Square(1); }
  class Corner { int x() { return side() + Square.this.area(); } }
}

class Drawing {
  private final List<Square> squares = new ArrayList<>();
  void add(Square square) { squares.add(square); }
  void add(Shape shape, int times) { shape.area(); }
  int total() {
    int area = 0;
    for (Square square : squares) { area += square.area(); }
    for (var each : squares) { each.next().side(); }
    squares.get(0).next();
    squares.forEach(s -> s.side());
    squares.stream().map(Square::next).filter(s -> s.area() > 1);
    Square.unit().next().area();
    return area;
  }
  void run() {
    add(Square.unit());
    add(new Square(2), 3);
    Shape shape = new Shape() { public int area() { return total(); } };
    shape.area();
    Object object = shape;
    if (object instanceof Square found) { found.side(); }
    ((Square) object).next();
    new Square(4).new Corner().x();
    unknown.area();
    total();
  }
}
"#,
);

const UTIL: (&str, &str) = (
    "shop/util/Text.java",
    r#"
package shop.util;

public class Text {
  public static String join(String one, String other) { return one.concat(other); }
  static String join(String one) { return one; }
}

class Numbers { static int twice(int n) { return n; } }
"#,
);

#[test]
fn receivers_imports_nesting_overloads_and_closures() {
    assert_calls(
        &[SHAPES, UTIL],
        "
        shop/Shapes.java Shape.show -> shop/util/Text.java Text.join [calls exact]
        shop/Shapes.java Base.Base -> shop/Shapes.java Base.Base [calls typed]
        shop/Shapes.java Base.area -> shop/Shapes.java Base.side [calls typed]
        shop/Shapes.java Square.Square -> shop/Shapes.java Base.Base [calls typed]
        shop/Shapes.java Square.side -> shop/Shapes.java Base.side [calls typed]
        shop/Shapes.java Square.side -> shop/util/Text.java Numbers.twice [calls exact]
        shop/Shapes.java Square.unit -> shop/Shapes.java Square [instantiates exact]
        shop/Shapes.java Square.unit -> shop/Shapes.java Square.Square [calls exact]
        shop/Shapes.java Square.Corner.x -> shop/Shapes.java Square.side [calls typed]
        shop/Shapes.java Square.Corner.x -> shop/Shapes.java Base.area [calls typed]
        shop/Shapes.java Drawing.squares -> ! java.util.ArrayList [instantiates]
        shop/Shapes.java Drawing.add -> ! java.util.List.add [calls]
        shop/Shapes.java Drawing.add -> shop/Shapes.java Shape.area [calls typed]
        shop/Shapes.java Drawing.total -> shop/Shapes.java Base.area [calls typed]
        shop/Shapes.java Drawing.total -> shop/Shapes.java Square.next [calls inferred]
        shop/Shapes.java Drawing.total -> shop/Shapes.java Square.side [calls inferred]
        shop/Shapes.java Drawing.total -> ! java.util.List.get [calls]
        shop/Shapes.java Drawing.total -> ! java.util.List.forEach [calls]
        shop/Shapes.java Drawing.total -> ! java.util.List.stream [calls]
        shop/Shapes.java Drawing.total -> ! List.map [calls]
        shop/Shapes.java Drawing.total -> ! Stream.filter [calls]
        shop/Shapes.java Drawing.total -> shop/Shapes.java Base.area [calls inferred]
        shop/Shapes.java Drawing.total -> shop/Shapes.java Square.unit [calls exact]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Drawing.add [calls typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.unit [calls exact]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square [instantiates exact]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.Square [calls exact]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Shape [instantiates exact]
        shop/Shapes.java Drawing.run.new Shape.area -> shop/Shapes.java Drawing.total [calls typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Shape.area [calls typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.side [calls typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.next [calls typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.Corner [instantiates typed]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Square.Corner.x [calls typed]
        shop/Shapes.java Drawing.run -> ? area [calls]
        shop/Shapes.java Drawing.run -> shop/Shapes.java Drawing.total [calls typed]
        shop/util/Text.java Text.join -> ! String.concat [calls]
        ",
    );
}

#[test]
fn what_is_inherited_and_replaced() {
    assert_hierarchy(
        &[SHAPES, UTIL],
        "
        shop/Shapes.java Base -> shop/Shapes.java Shape [implements exact]
        shop/Shapes.java Base.area -> shop/Shapes.java Shape.area [overrides typed]
        shop/Shapes.java Square -> shop/Shapes.java Base [extends exact]
        shop/Shapes.java Square.side -> shop/Shapes.java Base.side [overrides typed]
        shop/Shapes.java Drawing.run.new Shape -> shop/Shapes.java Shape [extends exact]
        shop/Shapes.java Drawing.run.new Shape.area -> shop/Shapes.java Shape.area [overrides typed]
        ",
    );
}

const RECORDS: (&str, &str) = (
    "app/Main.java",
    r#"
package app;

import app.model.Point;
import app.model.Level;
import app.model.Box;
import other.vendor.Client;

public class Main {
  private Client client;
  private final Box<Point> box = new Box<>(new Point(1, 2));

  public static void main(String[] args) { new Main().start(); }

  void start() {
    String name = name();
    client.send(name);
    box.get().x();
    box.map(p -> p.norm()).get();
    Level.HIGH.weight();
    Level.valueOf("LOW").weight();
    Runnable later = this::start;
    later.run();
    try { risky(); } catch (Problem problem) { problem.code(); }
    client.toString();
    fact(3);
  }

  String name() { return "n"; }
  void risky() throws Problem { throw new Problem(); }
  static int fact(int n) { return n < 2 ? 1 : fact(n - 1); }
  static class Problem extends Exception { int code() { return getMessage().length(); } }
}
"#,
);

const MODEL: (&str, &str) = (
    "app/model/Point.java",
    r#"
package app.model;

public record Point(int x, int y) {
  public double norm() { return Math.sqrt(x() * x() + y * y); }
}
"#,
);

const LEVEL: (&str, &str) = (
    "app/model/Level.java",
    r#"
package app.model;

public enum Level {
  LOW(1) { @Override int weight() { return base(); } },
  HIGH(2);
  private final int base;
  Level(int base) { this.base = base; }
  int weight() { return base; }
  int base() { return base; }
}
"#,
);

const BOX: (&str, &str) = (
    "app/model/Box.java",
    r#"
package app.model;

import java.util.function.Function;

public class Box<T> {
  private final T value;
  public Box(T value) { this.value = value; }
  public T get() { return value; }
  public <R> Box<R> map(Function<T, R> how) { return new Box<>(how.apply(value)); }
}
"#,
);

#[test]
fn records_enums_generics_names_shared_by_fields_and_methods() {
    assert_calls(
        &[RECORDS, MODEL, LEVEL, BOX],
        "
        app/Main.java Main.box -> app/model/Box.java Box [instantiates exact]
        app/Main.java Main.box -> app/model/Box.java Box.Box [calls exact]
        app/Main.java Main.box -> app/model/Point.java Point [instantiates exact]
        app/Main.java Main.main -> app/Main.java Main [instantiates exact]
        app/Main.java Main.main -> app/Main.java Main.start [calls typed]
        app/Main.java Main.start -> app/Main.java Main.name [calls typed]
        app/Main.java Main.start -> ! other.vendor.Client.send [calls]
        app/Main.java Main.start -> app/model/Box.java Box.get [calls typed]
        app/Main.java Main.start -> app/model/Point.java Point.x [calls inferred]
        app/Main.java Main.start -> app/model/Box.java Box.map [calls typed]
        app/Main.java Main.start -> app/model/Point.java Point.norm [calls inferred]
        app/Main.java Main.start -> app/model/Box.java Box.get [calls inferred]
        app/Main.java Main.start -> app/model/Level.java Level.weight [calls typed]
        app/Main.java Main.start -> ! Object.valueOf [calls]
        app/Main.java Main.start -> ? weight [calls]
        app/Main.java Main.start -> ! Runnable.run [calls]
        app/Main.java Main.start -> app/Main.java Main.risky [calls typed]
        app/Main.java Main.start -> app/Main.java Main.Problem.code [calls typed]
        app/Main.java Main.start -> ! other.vendor.Client.toString [calls]
        app/Main.java Main.start -> app/Main.java Main.fact [calls typed]
        app/Main.java Main.fact -> app/Main.java Main.fact [calls typed]
        app/Main.java Main.risky -> app/Main.java Main.Problem [instantiates typed]
        app/Main.java Main.Problem.code -> ! Exception.getMessage [calls]
        app/Main.java Main.Problem.code -> ! Exception.getMessage().length [calls]
        app/model/Point.java Point.norm -> ! Math.sqrt [calls]
        app/model/Point.java Point.norm -> app/model/Point.java Point.x [calls typed]
        app/model/Level.java Level.LOW -> app/model/Level.java Level [instantiates exact]
        app/model/Level.java Level.LOW -> app/model/Level.java Level.Level [calls exact]
        app/model/Level.java Level.HIGH -> app/model/Level.java Level [instantiates exact]
        app/model/Level.java Level.HIGH -> app/model/Level.java Level.Level [calls exact]
        app/model/Level.java Level.LOW.weight -> app/model/Level.java Level.base [calls typed]
        app/model/Box.java Box.map -> app/model/Box.java Box [instantiates exact]
        app/model/Box.java Box.map -> app/model/Box.java Box.Box [calls exact]
        app/model/Box.java Box.map -> ! java.util.function.Function.apply [calls]
        ",
    );
}

#[test]
fn functions_as_values_annotations_and_types() {
    assert_links(
        &[(
            "a/A.java",
            r#"
package a;

@Mark(1)
class A {
  static final int LIMIT = 3;
  int size = LIMIT;
  void go(Runner runner) { runner.run(A::help); this.size = other(); }
  static void help() {}
  int other() { return size; }
}
interface Runner { void run(Runnable what); }
@interface Mark { int value(); }
"#,
        )],
        &[
            EdgeKind::References,
            EdgeKind::Decorates,
            EdgeKind::UsesType,
            EdgeKind::Writes,
        ],
        "
        a/A.java A -> a/A.java Mark [decorates exact]
        a/A.java A.size -> a/A.java A.LIMIT [references exact]
        a/A.java A.go -> a/A.java Runner [uses_type exact]
        a/A.java A.go -> a/A.java A.help [references typed]
        a/A.java A.go -> a/A.java A.size [writes typed]
        a/A.java A.other -> a/A.java A.size [references exact]
        a/A.java Runner.run -> ! Runnable [uses_type]
        ",
    );
}
