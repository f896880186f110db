import React, { useEffect, useState } from "react";
import { Button } from "./ui";

export function CartView({ items, onBuy, ...rest }) {
  const [open, setOpen] = useState(false);

  useEffect(() => {
    const close = (event) => event.key === "Escape" && setOpen(false);
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, []);

  if (!items.length) return <p className="empty">Nothing here</p>;

  return (
    <>
      <section {...rest} aria-label="cart" style={{ margin: 4 }}>
        {/* every line */}
        {items.map((item) => (
          <Cart.Line key={item.id} price={item.price} sale={item.price < 10 ? "yes" : "no"} selected>
            {item.name} &times; {item.count}
          </Cart.Line>
        ))}
        <Button disabled={!open} onClick={() => onBuy(items)} />
        <input type="checkbox" checked={open} onChange={(e) => setOpen(e.target.checked)} />
      </section>
    </>
  );
}
