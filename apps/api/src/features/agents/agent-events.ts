import type { AgentEvent } from '@mira/shared'

/** Work that reports progress and resolves to its last event. */
export type TellingWork = (progress: (text: string) => void) => Promise<AgentEvent>

/** Between a call and a reader who takes nothing; progress beyond is not told. */
const MOST_WAITING_EVENTS = 50

/** A first event and those of a call as they come; ends with what the work came to. The work must not throw. */
export async function* eventsOf(first: AgentEvent, work: TellingWork | null): AsyncGenerator<AgentEvent> {
  yield first
  if (work === null) return
  const waiting: AgentEvent[] = []
  let wake = () => {}
  let last: AgentEvent | null = null
  const tell = (event: AgentEvent) => {
    waiting.push(event)
    wake()
  }
  const working = work((text) => {
    if (last === null && waiting.length < MOST_WAITING_EVENTS) tell({ type: 'progress', text })
  }).then((event) => {
    last = event
    tell(event)
  })
  for (;;) {
    const next = waiting.shift()
    if (next !== undefined) yield next
    if (next !== undefined && next === last) return
    if (waiting.length > 0) continue
    const told = new Promise<void>((resolve) => {
      wake = resolve
    })
    await Promise.race([working, told])
  }
}
