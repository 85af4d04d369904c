import { say } from '@mira/shared'
import type { Advance } from './processing.store.ts'
import type { ProcessedItem, ProcessingStepRow, Steps } from './processing.ts'
import { isOpen, nextStep } from './step-order.ts'
import { isLongStep } from './step-size.ts'

export type Finish = NonNullable<Advance['finish']>

/** Next actions after a step. */
export interface Plan extends Pick<Advance, 'settled' | 'next'> {
  finish?: Finish
  /** Time to resume at, where nothing can be done now. */
  again?: Date
  /** Only long steps are left: they are done by jobs of their own, so that nothing short waits behind them. */
  isLong?: true
}

const UNREAD = say('item_unread', {}, 'The file cannot be read.')
const SKIPPED = { status: 'skipped', engine: null, model: null } as const

/** Skips the steps that nothing can do, and picks the next one; a job of long steps may pick any that is due. */
export function planNext(handlers: Steps, item: ProcessedItem, steps: ProcessingStepRow[], isLongJob: boolean): Plan {
  const open = steps.filter(isOpen)
  const inspect = steps.find(({ name }) => name === 'inspect')
  if (inspect?.status === 'failed') {
    const settled = open.map(({ name }) => ({ name, ...SKIPPED, error: UNREAD.text, told: UNREAD.told }))
    const { error, told } = inspect
    const { text, told: reason } = error === null ? UNREAD : { text: error, told }
    return { settled, finish: { status: 'failed', error: text, told: reason } }
  }
  const settled = open.flatMap(({ name }) => {
    const reason = handlers[item.mediaType][name]?.whyNot?.(item) ?? null
    return reason === null
      ? []
      : [{ name, ...SKIPPED, error: reason.skipped.text, told: reason.skipped.told, lacks: reason.lacks }]
  })
  const left = open.filter(({ name }) => !settled.some((one) => one.name === name))
  const next = nextStep(left, new Date(), (name) => !isLongJob && isLongStep(item, name))
  if ('step' in next) return { settled, next: next.step.name }
  if ('waitUntil' in next) return { settled, again: next.waitUntil }
  if ('allEnded' in next) return { settled, finish: { status: 'completed', error: null, told: [] } }
  return { settled, again: new Date(), isLong: true }
}
