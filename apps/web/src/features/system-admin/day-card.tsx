import type { SystemPointJson } from '@mira/shared'
import { ChartLine, Table2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../ui/table.tsx'
import { measures, useMeasureText } from './measures.ts'

const DayCharts = lazy(() => import('./day-charts.tsx').then((file) => ({ default: file.DayCharts })))

/** Metrics of the last day, as small charts or as a table. */
export function DayCard({ series }: { series: readonly SystemPointJson[] }) {
  const text = useText('system-admin')
  const [showsTable, setShowsTable] = useState(false)
  return (
    <Card>
      <CardHeader
        title={text('charts.title')}
        description={text('charts.text')}
        level={3}
        actions={
          <Button
            size="sm"
            icon={showsTable ? <ChartLine aria-hidden /> : <Table2 aria-hidden />}
            onClick={() => setShowsTable(!showsTable)}
          >
            {text(showsTable ? 'charts.showCharts' : 'charts.showTable')}
          </Button>
        }
      />
      {showsTable ? (
        <DayTable series={series} />
      ) : (
        <Suspense fallback={<Skeleton className="h-52" />}>
          <DayCharts series={series} />
        </Suspense>
      )}
    </Card>
  )
}

/** Newest first. */
function DayTable({ series }: { series: readonly SystemPointJson[] }) {
  const text = useText('system-admin')
  const format = useFormat()
  const write = useMeasureText()
  return (
    <Table label={text('charts.title')} className="max-h-96 rounded-control border border-border">
      <thead>
        <tr>
          <HeaderCell>{text('charts.from')}</HeaderCell>
          {measures.map((measure) => (
            <HeaderCell key={measure} align="right">
              {text(`measures.${measure}`)}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.toReversed().map((point) => (
          <Row key={point.at}>
            <RowHeaderCell className="h-9 whitespace-nowrap">{format.dateTime(point.at)}</RowHeaderCell>
            {measures.map((measure) => {
              const value = point[measure]
              return (
                <Cell key={measure} align="right" className="h-9 whitespace-nowrap">
                  {value === null ? '—' : write(measure, value)}
                </Cell>
              )
            })}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
