import { type ProcessingStepName, say } from '@mira/shared'
import { createLongPlaces } from './long-places.ts'
import type { Advance, ProcessingStore } from './processing.store.ts'
import type { ProcessedItem, ProcessingStepRow } from './processing.ts'
import { heldBackMs, isOpen, MOST_WAITING_COUNTED, nextStep } from './step-order.ts'
import type { StepRunsDeps } from './step-runs.ts'
import { isLongStep } from './step-size.ts'

export interface StepPlansDeps extends Pick<StepRunsDeps, 'steps' | 'concurrency'> {
  store: Pick<ProcessingStore, 'hasOthersWaiting' | 'withNothingLeft' | 'countWaiting'>
}

export type Finish = NonNullable<Advance['finish']>

/** What comes after a step. */
export interface Plan extends Pick<Advance, 'settled' | 'next'> {
  finish?: Finish
  /** When to go on, where nothing can be done now. */
  again?: Date
  /** How many of the places for long steps the next one has taken. */
  weight: number
}

/** Thousands may wait. */
const LOOKED_AT_ONCE = 20
const UNREAD = say('item_unread', {}, 'The file cannot be read.')
const SKIPPED = { status: 'skipped', engine: null, model: null } as const

/**
 * Decides what is done next with an item.
 *
 * Long steps never take the last place of a server, so that pictures do not wait for films; where there is one place
 * only, a long step begins when no other item waits, and those that come then wait for the end of its turn. Whoever has had
 * a turn lets those go first that were held back meanwhile.
 */
export function createStepPlans({ store, steps: handlers, concurrency }: StepPlansDeps) {
  const longPlaces = createLongPlaces()

  /** Whoever was deleted, or was seen to by another server, holds up nobody: those that are first in turn are looked at. */
  const forgetGone = async (itemId: string) => {
    for (;;) {
      const first = longPlaces.before(itemId).slice(0, LOOKED_AT_ONCE)
      const gone = first.length > 0 ? await store.withNothingLeft(first) : []
      longPlaces.forget(gone)
      if (gone.length < LOOKED_AT_ONCE) return
    }
  }

  return {
    /** Ends what nothing can do, and takes a place for the step that comes next: `leave` gives it free. */
    async plan(item: ProcessedItem, steps: ProcessingStepRow[]): Promise<Plan> {
      const open = steps.filter(isOpen)
      const inspect = steps.find(({ name }) => name === 'inspect')
      if (inspect?.status === 'failed') {
        const settled = open.map(({ name }) => ({ name, ...SKIPPED, error: UNREAD.text, told: UNREAD.told }))
        const { error, told } = inspect
        const { text, told: why } = error === null ? UNREAD : { text: error, told }
        return { settled, finish: { status: 'failed', error: text, told: why }, weight: 0 }
      }
      const settled = open.flatMap(({ name }) => {
        const why = handlers[item.mediaType][name]?.whyNot?.(item) ?? null
        return why === null
          ? []
          : [{ name, ...SKIPPED, error: why.skipped.text, told: why.skipped.told, lacks: why.lacks }]
      })
      const left = open.filter(({ name }) => !settled.some((one) => one.name === name))
      const isLong = (name: ProcessingStepName) => isLongStep(item, name)
      const hasLong = left.some(({ name }) => isLong(name))
      const othersWait = concurrency === 1 && hasLong && (await store.hasOthersWaiting(item.id))
      if (hasLong) await forgetGone(item.id)
      // from here on nothing is awaited until the place is taken: two items do not take the same
      const isFull = concurrency === 1 ? othersWait : longPlaces.taken() >= concurrency - 1
      const isHeldBack = isFull || longPlaces.isBehind(item.id)
      const next = nextStep(left, new Date(), (name) => isHeldBack && isLong(name))
      if ('step' in next) {
        const weight = isLong(next.step.name) ? 1 : 0
        if (weight > 0) longPlaces.take(item.id)
        return { settled, next: next.step.name, weight }
      }
      if ('waitUntil' in next) return { settled, again: next.waitUntil, weight: 0 }
      if ('allEnded' in next) return { settled, finish: { status: 'completed', error: null, told: [] }, weight: 0 }
      const waitMs = heldBackMs(await store.countWaiting(MOST_WAITING_COUNTED))
      longPlaces.holdBack(item.id, waitMs)
      return { settled, again: new Date(Date.now() + waitMs), weight: 0 }
    },

    /** Gives free what a plan has taken. */
    leave(plan: Plan | undefined): void {
      if (plan?.weight) longPlaces.leave()
    },
  }
}
