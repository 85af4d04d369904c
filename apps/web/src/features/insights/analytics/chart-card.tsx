import { ChartLine, Download, Table2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../ui/table.tsx'

/** Translated names of hours, weekdays and points of the usage chart. */
export interface Names {
  /** Names an hour, 0 to 23: "3 PM". */
  hour: (hour: number) => string
  /** Names a weekday, 0 (Monday) to 6. */
  weekday: (day: number, style?: 'long' | 'short') => string
  /** Names a day (2026-11-20), or an hour given as an ISO date with time and offset. */
  point: (date: string) => string
}

export function useNames(): Names {
  const locale = useLocale()
  const format = useFormat()
  return useMemo(() => {
    const hours = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric' })
    const days = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric' })
    const weekdays = {
      long: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long' }),
      short: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'short' }),
    }
    return {
      hour: (hour) => hours.format(Date.UTC(2024, 0, 1, hour)),
      // the first of January 2024 was a Monday
      weekday: (day, style = 'long') => weekdays[style].format(Date.UTC(2024, 0, 1 + day)),
      point: (date) => (date.length > 10 ? format.time(date) : days.format(new Date(`${date}T00:00:00Z`))),
    }
  }, [locale, format])
}

type CsvCell = string | number | null

/**
 * Rows as CSV (RFC 4180, UTF-8 with a byte order mark for spreadsheets). Texts that a spreadsheet would evaluate as
 * formulas are prefixed with an apostrophe.
 */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(cellText).join(',')).join('\r\n')}\r\n`
}

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Data of a chart as a table; the first column names the row. */
interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly CsvCell[])[]
}

/** A chart that can be switched to its table and exported; without data it says so. */
export function ChartCard({ title, description, fileName, table, isEmpty, className, children }: ChartCardProps) {
  const text = useText('analytics')
  const [showsTable, setShowsTable] = useState(false)
  const save = () => {
    const blob = new Blob([csvText([table.columns, ...table.rows])], { type: 'text/csv;charset=utf-8' })
    saveFile({ blob, name: `${fileName}.csv` })
  }
  return (
    <Card className={classNames('flex break-inside-avoid flex-col', className)}>
      <CardHeader
        title={title}
        description={description}
        level={3}
        actions={
          isEmpty ? undefined : (
            <div className="flex gap-1 print:hidden">
              <IconButton
                name={text(showsTable ? 'chart.showChart' : 'chart.showTable', { title })}
                icon={showsTable ? <ChartLine /> : <Table2 />}
                aria-pressed={showsTable}
                onClick={() => setShowsTable(!showsTable)}
              />
              <IconButton name={text('chart.save', { title })} icon={<Download />} onClick={save} />
            </div>
          )
        }
      />
      {isEmpty ? (
        <EmptyState
          level={3}
          title={text('chart.empty.title')}
          text={text('chart.empty.text', { assistant: assistantName() })}
        />
      ) : showsTable ? (
        <DataTable label={title} table={table} />
      ) : (
        children
      )}
    </Card>
  )
}

function DataTable({ label, table: { columns, rows } }: { label: string; table: ChartTable }) {
  return (
    <Table label={label} className="max-h-80">
      <thead>
        <tr>
          {columns.map((column, place) => (
            <HeaderCell key={column} align={place === 0 ? 'left' : 'right'}>
              {column}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <Row key={name}>
            <RowHeaderCell className="h-9 whitespace-nowrap">{name}</RowHeaderCell>
            {cells.map((cell, place) => (
              <Cell key={columns[place + 1]} align="right" className="h-9">
                {cell ?? '—'}
              </Cell>
            ))}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

interface ChartCardProps {
  title: string
  description: string
  /** Name of the download, without extension. */
  fileName: string
  table: ChartTable
  isEmpty: boolean
  className?: string
  children: ReactNode
}
