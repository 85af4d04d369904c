interface Target {
  bench: string
  setup?: string
  case: string
  metric: string
  target: string
}

/** Targets by bench, case and metric; one with a setup applies there alone. */
const targets: Target[] = [
  { bench: 'Chat', case: '1 stream', metric: 'added, median', target: '≤ 4' },
  { bench: 'Chat', setup: 'embedded', case: '100 streams', metric: 'added, p95', target: '≤ 50' },
  { bench: 'Chat', setup: 'PostgreSQL', case: '100 streams', metric: 'added, p95', target: '≤ 25' },
  { bench: 'Chat', case: 'memory with 100 streams, most', metric: 'value', target: '≤ 400' },
  { bench: 'Search', case: 'all', metric: 'search, median', target: '≤ 1.5 × bare' },
  { bench: 'A new user', case: 'later start', metric: 'value', target: '≤ 1500' },
  { bench: 'A new user', case: 'memory of all processes at rest', metric: 'value', target: '≤ 300' },
  { bench: 'A new user', case: 'memory of all processes after work', metric: 'value', target: '≤ 600' },
  { bench: 'A new user', case: 'small texts', metric: 'files', target: '≥ 60, without a model server 80' },
  { bench: 'A new user', case: 'photos', metric: 'files', target: '≥ 8' },
  { bench: 'A new user', case: 'photos, NOT read', metric: 'files', target: '≥ 15' },
  { bench: 'A new user', case: 'a new conversation', metric: 'added, median', target: '≤ 8' },
  { bench: 'A new user', case: '40 new conversations within 1.5 s', metric: 'p95', target: '≤ 50' },
  { bench: 'A new user', case: '1,967 records', metric: 'median', target: '≤ 25' },
  { bench: 'A new user', case: '1,967 records', metric: 'p95', target: '≤ 60' },
  { bench: 'Upload', case: '96 MB in parts of 64 MiB (tus)', metric: 'Mira', target: '≥ 0.85 × bare' },
  { bench: 'Analytics', case: 'everybody, quarter', metric: 'median', target: '≤ 300' },
  { bench: 'Analytics', case: 'quarter while a deletion is taken over', metric: 'median', target: '≤ 300' },
  { bench: 'Reading pictures', case: 'nothing in 12 megapixels', metric: 'time', target: '≤ 0.4' },
]

/** "target ≤ 4", or an empty text where there's none. */
export function targetOf(row: { bench: string; setup: string; case: string; metric: string }): string {
  const match = targets.find(
    ({ bench, setup = row.setup, case: name, metric }) =>
      bench === row.bench && setup === row.setup && name === row.case && metric === row.metric,
  )
  return match ? `target ${match.target}` : ''
}
