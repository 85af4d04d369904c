import { expect, it } from 'vitest'
import { keyInsights, templateText } from './summaries.service.ts'

const quietWeek = { completed: 0, failed: 0, busiest_day: null, top_agent: null }
const insights = (language: string, opened: number, searches: number) =>
  keyInsights({ ...quietWeek, opened, searches } as Parameters<typeof keyInsights>[0], language)

it('uses the singular for one result and one search in every language', () => {
  expect([insights('en', 1, 1), insights('en', 2, 17)].flat()).toEqual([
    '1 result of 1 search was opened.',
    '2 results of 17 searches were opened.',
  ])
  expect([insights('de', 1, 17), insights('de', 0, 1)].flat()).toEqual([
    '1 Ergebnis aus 17 Suchen wurde geöffnet.',
    '0 Ergebnisse aus 1 Suche wurden geöffnet.',
  ])
  expect([insights('es', 3, 1), insights('fr', 3, 1)].flat()).toEqual([
    'Resultados abiertos: 3, en 1 búsqueda.',
    'Résultats ouverts\u00a0: 3, pour 1 recherche.',
  ])
})

it('summarises a week of nothing but image effects in every language', () => {
  const none = { messages: 0, sessions: 0, uploads: 0, searches: 0, agent_calls: 0, effects: 0 }
  const figures = { ...none, active_users: 1, effects: 3, previous: none } as unknown as Parameters<
    typeof templateText
  >[0]
  expect(['en', 'de', 'es', 'fr'].map((language) => templateText(figures, true, language))).toEqual([
    'Your week: 3 image effects. Nothing happened the week before.',
    expect.stringContaining('3 Bildeffekte'),
    expect.stringContaining('3 efectos de imagen'),
    expect.stringContaining('3 effets d’image'),
  ])
})
