// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { defaultSettings, saveSettings } from '../../../lib/session/settings.ts'
import { useDayNames } from './days.ts'

afterEach(() => void vi.useRealTimers())

function DayName() {
  return <p>{useDayNames().nameOf('2026-11-20T18:20:00Z')}</p>
}

it('calls a day today from its first minute, even where it begins at a quarter hour of UTC', async () => {
  saveSettings({ ...defaultSettings, language: 'en', timezone: 'Asia/Kathmandu' })
  await loadTexts('chat')
  vi.useFakeTimers({ now: new Date('2026-11-20T18:14:00Z'), toFake: ['Date'] })
  const { rerender } = await renderPart(<DayName key="before" />)
  expect(screen.queryByText('Today')).toBeNull()
  vi.setSystemTime(new Date('2026-11-20T18:15:30Z'))
  rerender(<DayName key="after" />)
  await screen.findByText('Today')
})
