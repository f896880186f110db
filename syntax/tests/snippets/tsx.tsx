import { memo, type ReactNode, useRef } from "react";

interface Props<T extends object> {
  readonly items: T[];
  render?: (item: T, index: number) => ReactNode;
  as?: keyof JSX.IntrinsicElements;
}

export const identity = <T,>(value: T): T => value;

function ListView<T extends { id: string }>({ items, render, as: Tag = "ul" }: Props<T>): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const width = ref.current!.clientWidth as number;
  return (
    <div ref={ref} className={`list ${width > 100 ? "wide" : ""}`}>
      <Tag>
        {items.map((item, i) => (
          <li key={item.id} onClick={(event: React.MouseEvent) => event.preventDefault()}>
            {render?.(item, i) ?? <em>none</em>}
          </li>
        ))}
      </Tag>
      <Generic<string> value="x" />
    </div>
  );
}

export default memo(ListView) satisfies unknown;
