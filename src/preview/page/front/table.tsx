// A table of which only the rows near the window are drawn. A click on a column's head sorts by it:
// upwards, downwards, and as it was. Arrow keys go from row to row. The style lays rows out as grids,
// so the roles of a table are said again.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { useVirtual } from '../state/use-virtual.ts';

export interface TableColumn<Row, Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly cell: (row: Row) => VNode | string | null;
}

interface TableProps<Row, Name extends string> {
  readonly label: string;
  /** The class of the table that gives its columns their widths. */
  readonly layout: string;
  readonly columns: readonly TableColumn<Row, Name>[];
  /** Must stay the same array while no row changes. */
  readonly rows: readonly Row[];
  readonly classOf: (row: Row) => string;
  /** In place of all cells but the first; null for none. */
  readonly wideCell: (row: Row) => VNode | null;
  readonly sort: { readonly column: string; readonly isDescending: boolean } | null;
  /** null if the table cannot be sorted. */
  readonly onSort: ((sort: { readonly column: Name; readonly isDescending: boolean } | null) => void) | null;
  /** The key of a row to scroll to and highlight, or null. */
  readonly pointed: string | null;
}

const ROW_PIXELS = 28;

export function Table<Row extends { readonly key: string }, Name extends string>(props: TableProps<Row, Name>): VNode {
  const { label, layout, columns, rows, classOf, wideCell, pointed } = props;
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const pointedIndex = pointed === null ? -1 : keys.indexOf(pointed);
  const { ref, lines, before, after, measure, reveal } = useVirtual({
    keys,
    estimate: rowHeight,
    revealed: pointedIndex < 0 ? null : pointedIndex,
  });
  const [first, ...others] = columns;
  const focus = (index: number): void =>
    reveal(index, () => ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`)?.focus());
  return (
    <table class={`list ${layout}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <ColumnHead key={column.name} {...{ column }} sort={props.sort} onSort={props.onSort} />
          ))}
        </tr>
      </thead>
      <tbody
        role="rowgroup"
        ref={(body) => void (ref.current = body)}
        onKeyDown={(event) => {
          const index = targetIndex(event, rows.length);
          if (index === null) return;
          event.preventDefault();
          focus(index);
        }}
      >
        <Gap height={before} />
        {lines.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined || first === undefined) return null;
          const wide = wideCell(row);
          return (
            <tr
              key={key}
              role="row"
              ref={measure}
              data-index={index}
              aria-rowindex={index + 2}
              class={`${classOf(row)}${index === pointedIndex ? ' is-pointed' : ''}`}
            >
              <th scope="row" role="rowheader" class={`col-${first.name}`}>
                {first.cell(row)}
              </th>
              {wide !== null && (
                <td role="cell" class="wide" aria-colspan={others.length}>
                  {wide}
                </td>
              )}
              {wide === null &&
                others.map(({ name, cell }) => (
                  <td key={name} role="cell" class={`col-${name}`}>
                    {cell(row)}
                  </td>
                ))}
            </tr>
          );
        })}
        <Gap height={after} />
      </tbody>
    </table>
  );
}

function rowHeight(): number {
  return ROW_PIXELS;
}

/** In place of the rows that are not drawn. */
function Gap({ height }: { readonly height: number }): VNode | null {
  return height <= 0 ? null : <tr class="gap" aria-hidden="true" style={{ blockSize: `${height}px` }} />;
}

interface HeadProps<Row, Name extends string> extends Pick<TableProps<Row, Name>, 'sort' | 'onSort'> {
  readonly column: TableColumn<Row, Name>;
}

function ColumnHead<Row, Name extends string>({ column: { name, label }, sort, onSort }: HeadProps<Row, Name>): VNode {
  const own = sort?.column === name ? sort : null;
  const direction = own === null ? 'none' : own.isDescending ? 'descending' : 'ascending';
  if (onSort === null) {
    return (
      <th scope="col" role="columnheader" class={`col-${name}`}>
        {label}
      </th>
    );
  }
  const next = own === null ? { column: name, isDescending: false } : { column: name, isDescending: true };
  return (
    <th scope="col" role="columnheader" class={`col-${name}`} aria-sort={direction}>
      <button type="button" class="quiet" onClick={() => onSort(own?.isDescending === true ? null : next)}>
        {label}
        <span class="direction" aria-hidden="true">
          {direction === 'none' ? '' : direction === 'ascending' ? '↑' : '↓'}
        </span>
      </button>
    </th>
  );
}

function targetIndex({ key, target }: KeyboardEvent, count: number): number | null {
  const index = Number((target as Element).closest('[data-index]')?.getAttribute('data-index'));
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, index + 1);
    case 'ArrowUp':
      return Math.max(0, index - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
