package shop.orders

import scala.concurrent.{ExecutionContext, Future}
import scala.util.Try

enum Status(val label: String):
  case Open extends Status("open")
  case Paid(at: Long) extends Status("paid")

trait Priced[+A]:
  def price: A
  extension (s: String) def quoted: String = s"'$s'"

final case class Item(name: String, override val price: BigDecimal = 0) extends Priced[BigDecimal]

given Ordering[Item] = Ordering.by(_.price)

object Orders:
  private val Limit = 100

  def total(items: Seq[Item])(using ordering: Ordering[Item]): BigDecimal =
    items.sorted.takeWhile(_.price < Limit).map(_.price).sum

  def describe(status: Status): String = status match
    case Status.Open => "open"
    case Status.Paid(at) if at > 0 => s"paid at ${at / 1000}"
    case _ => "unknown"

  def load(path: String)(implicit ec: ExecutionContext): Future[Either[Throwable, List[Item]]] =
    for
      text <- Future(scala.io.Source.fromFile(path).mkString)
      lines = text.split("\n").toList
      items = lines.collect { case s"$name=$price" => Item(name, BigDecimal(price)) }
    yield Try(items).toEither

class Cart(owner: String) extends Orders.type#Base with Serializable {
  var items: List[Item] = Nil
  def +=(item: Item): Unit = items ::= item
}
