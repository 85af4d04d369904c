// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { ChartTooltip } from './usage-chart.tsx'

it('groups the digits of large numbers', async () => {
  const payload = [{ name: 'Uploads', value: 20_000, color: 'red', graphicalItemId: 'upload' }]
  await renderPart(<ChartTooltip active payload={payload} label="2026-05-01" nameOf={String} />)
  expect(screen.getByRole('listitem').textContent).toBe('Uploads20,000')
})
