// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { ChartCard } from './chart-card.tsx'

const table = { columns: ['Day', 'Messages'], rows: [['Monday', 4] as const, ['Tuesday', null] as const] }

it('switches between the chart and its data as a table', async () => {
  const { user } = await renderPart(
    <ChartCard title="Use" description="By day" fileName="use" table={table} isEmpty={false}>
      <p>the picture</p>
    </ChartCard>,
  )
  await user.click(screen.getByRole('button', { name: 'Show “Use” as a table' }))
  const rows = within(screen.getByRole('table')).getAllByRole('row')
  const cells = rows.map((row) => [...row.children].map(({ textContent }) => textContent))
  expect(cells).toEqual([
    ['Day', 'Messages'],
    ['Monday', '4'],
    ['Tuesday', '—'],
  ])
  expect(screen.queryByText('the picture')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show “Use” as a chart' }))
  expect(screen.getByText('the picture')).toBeTruthy()
})

it('shows neither an empty chart nor buttons when there is no data', async () => {
  await renderPart(
    <ChartCard title="Use" description="By day" fileName="use" table={table} isEmpty>
      <p>the picture</p>
    </ChartCard>,
  )
  expect(screen.queryByText('the picture')).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})
