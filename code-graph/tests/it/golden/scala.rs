//! Scala.

use super::{assert_calls, assert_hierarchy};

const SHOP: (&str, &str) = (
    "src/Shop.scala",
    r#"
package shop

import shop.util.{Money, Text => T}
import shop.util.Text._
import other.lib.Client

trait Priced {
  def price: Money
  def describe(): String = price.show()
}

abstract class Base(client: Client) {
  def send(item: Item): Unit = client.post(item)
}

case class Item(name: String, price: Money) extends Priced {
  private val size = count(name)
  def twice: Item = copy(name)
  def next(n: Int): Option[Item] = Some(this)
  def count(s: String): Int = 1
}

object Item {
  val Max = 3
  def free(): Item = Item("free", Money(1))
}

class Store(client: Client) extends Base(client) with Logged {
  private val items: List[Item] = Nil
  override def send(item: Item): Unit = {
    super.send(item)
    log("sent")
  }
  def run(handler: Item => Item): Int = {
    val item = Item("a", Money.zero)
    item.twice.describe()
    Item.free().twice
    for (each <- items) each.describe()
    items.map(i => i.describe())
    items.foreach { i => i.next(1) }
    item.next(2).map(_.name)
    handler(item).describe()
    T.shout("x")
    shout("y")
    item match {
      case Item(n, p) => p.show()
      case other: Item => other.describe()
    }
    val both = Money.zero + Money(2)
    both.show()
    val made = new Store(client) with Logged { override def log(line: String): Unit = run(null) }
    made.log("x")
    def local(n: Int): Item = Item.free()
    local(1).describe()
    "z".louder
    unknown.twice()
    Registry.put(item)
    item.asInstanceOf[Item].describe()
    try fail() catch { case e: Problem => e.explain() }
    1
  }
}

trait Logged { def log(line: String): Unit = println(line) }

object Registry { def put(item: Item): Unit = send(item)
  private def send(item: Item): Unit = () }

class Problem extends Exception { def explain(): String = getMessage }
"#,
);

const UTIL: (&str, &str) = (
    "src/util/Money.scala",
    r#"
package shop.util

class Money(val cents: Int) {
  def show(): String = cents.toString
  def +(other: Money): Money = Money(cents + other.cents)
}

object Money {
  def apply(cents: Int): Money = new Money(cents)
  def zero: Money = apply(0)
}

object Text {
  def shout(text: String): String = text.toUpperCase
  implicit class Louder(text: String) { def louder: String = shout(text) }
}
"#,
);

#[test]
fn companions_case_classes_bare_calls_and_implicit_classes() {
    assert_calls(
        &[SHOP, UTIL],
        "
        src/Shop.scala Priced.describe -> src/util/Money.scala Money.show [calls inferred]
        src/Shop.scala Priced.describe -> src/Shop.scala Priced.price [calls exact]
        src/Shop.scala Base.send -> ! other.lib.Client.post [calls]
        src/Shop.scala Item.size -> src/Shop.scala Item.count [calls exact]
        src/Shop.scala Item.twice -> ! Any.copy [calls]
        src/Shop.scala Item.next -> ! Some [calls]
        src/Shop.scala Item.free -> src/Shop.scala Item [instantiates exact]
        src/Shop.scala Item.free -> src/Shop.scala Item.Item [calls exact]
        src/Shop.scala Item.free -> src/util/Money.scala Money.apply [calls exact]
        src/Shop.scala Store -> src/Shop.scala Base.Base [calls typed]
        src/Shop.scala Store.send -> src/Shop.scala Base.send [calls typed]
        src/Shop.scala Store.send -> src/Shop.scala Logged.log [calls typed]
        src/Shop.scala Store.run -> src/Shop.scala Item [instantiates exact]
        src/Shop.scala Store.run -> src/Shop.scala Item.Item [calls exact]
        src/Shop.scala Store.run -> src/util/Money.scala Money.zero [calls typed]
        src/Shop.scala Store.run -> src/Shop.scala Item.twice [calls typed]
        src/Shop.scala Store.run -> src/Shop.scala Priced.describe [calls inferred]
        src/Shop.scala Store.run -> src/Shop.scala Item.free [calls exact]
        src/Shop.scala Store.run -> ! List.map [calls]
        src/Shop.scala Store.run -> ! List.foreach [calls]
        src/Shop.scala Store.run -> src/Shop.scala Item.next [calls inferred]
        src/Shop.scala Store.run -> src/Shop.scala Item.next [calls typed]
        src/Shop.scala Store.run -> ! Option.map [calls]
        src/Shop.scala Store.run -> src/util/Money.scala Text.shout [calls exact]
        src/Shop.scala Store.run -> src/util/Money.scala Money.show [calls inferred]
        src/Shop.scala Store.run -> src/Shop.scala Priced.describe [calls typed]
        src/Shop.scala Store.run -> src/util/Money.scala Money.+ [calls inferred]
        src/Shop.scala Store.run -> src/util/Money.scala Money.apply [calls exact]
        src/Shop.scala Store.run -> src/Shop.scala Item.twice [calls inferred]
        src/Shop.scala Store.run -> src/Shop.scala Store [instantiates exact]
        src/Shop.scala Store.run -> src/Shop.scala Store.Store [calls exact]
        src/Shop.scala Store.run.new Store.log -> src/Shop.scala Store.run [calls typed]
        src/Shop.scala Store.run -> src/Shop.scala Logged.log [calls typed]
        src/Shop.scala Store.run.local -> src/Shop.scala Item.free [calls exact]
        src/Shop.scala Store.run -> src/Shop.scala Store.run.local [calls exact]
        src/Shop.scala Store.run -> src/util/Money.scala Text.Louder.louder [calls typed]
        src/Shop.scala Store.run -> ? twice [calls]
        src/Shop.scala Store.run -> ? fail [calls]
        src/Shop.scala Store.run -> src/Shop.scala Registry.put [calls exact]
        src/Shop.scala Store.run -> src/Shop.scala Problem.explain [calls typed]
        src/Shop.scala Logged.log -> ! println [calls]
        src/Shop.scala Registry.put -> src/Shop.scala Registry.send [calls typed]
        src/util/Money.scala Money.+ -> ! Int.+ [calls]
        src/util/Money.scala Money.+ -> src/util/Money.scala Money.apply [calls exact]
        src/util/Money.scala Money.apply -> src/util/Money.scala Money [instantiates exact]
        src/util/Money.scala Money.apply -> src/util/Money.scala Money.Money [calls exact]
        src/util/Money.scala Money.zero -> src/util/Money.scala Money.apply [calls typed]
        src/util/Money.scala Text.Louder.louder -> src/util/Money.scala Text.shout [calls typed]
        ",
    );
}

#[test]
fn what_is_inherited_and_replaced() {
    assert_hierarchy(
        &[SHOP, UTIL],
        "
        src/Shop.scala Item -> src/Shop.scala Priced [extends exact]
        src/Shop.scala Store -> src/Shop.scala Base [extends exact]
        src/Shop.scala Store -> src/Shop.scala Logged [mixes_in exact]
        src/Shop.scala Store.send -> src/Shop.scala Base.send [overrides typed]
        src/Shop.scala Store.run.new Store -> src/Shop.scala Store [extends exact]
        src/Shop.scala Store.run.new Store -> src/Shop.scala Logged [mixes_in exact]
        src/Shop.scala Store.run.new Store.log -> src/Shop.scala Logged.log [overrides typed]
        src/Shop.scala Problem -> ! Exception [extends]
        ",
    );
}
