import type { MediaType, ProcessingStepName } from '@mira/shared'
import { stepNeeds, stepsOfType } from './new-steps.ts'
import type { ProcessingStepRow } from './processing.ts'

/** Wait after the first, second, … attempt that failed for a temporary reason. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000]
/** Attempts before a step counts as failed. */
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1

/**
 * Priority of jobs about new items: of each user's items, those that were just added are inspected and shown before
 * anything else is done with the others.
 */
export const NEWCOMER_PRIORITY = 1

/** Next thing to do with an item; `heldBack` when all that is due has to be done by another job. */
export type NextStep = { step: ProcessingStepRow } | { heldBack: true } | { waitUntil: Date } | { allEnded: true }

export const isOpen = ({ status }: ProcessingStepRow) => status === 'pending' || status === 'processing'

/** Picks the first step that is due, not held back, and whose needs have ended; otherwise tells when one will be. */
export function nextStep(
  steps: ProcessingStepRow[],
  now: Date,
  isHeldBack: (name: ProcessingStepName) => boolean = () => false,
): NextStep {
  const open = new Map(steps.filter(isOpen).map((step) => [step.name, step]))
  if (open.size === 0) return { allEnded: true }
  // in the end there is one whose needs have ended, because needs form no circle
  const ready = [...open.values()].filter(({ name }) => !stepNeeds[name].some((need) => open.has(need)))
  const due = ready.filter((step) => dueAt(step) <= now.getTime())
  const step = due.find(({ name }) => !isHeldBack(name))
  if (step) return { step }
  return due.length > 0 ? { heldBack: true } : { waitUntil: new Date(Math.min(...ready.map(dueAt))) }
}

function dueAt({ attempts, finishedAt, error }: ProcessingStepRow): number {
  const delay = RETRY_AFTER_MS[attempts - 1]
  // one that goes on where it stopped has nothing to wait for
  return delay === undefined || finishedAt === null || error === null ? 0 : finishedAt.getTime() + delay
}

/** The steps of a type of item that are to be done again when these are, because they work with what those make. */
export function stepsAgain(type: MediaType, wanted: readonly ProcessingStepName[] | undefined): ProcessingStepName[] {
  const again = new Set<ProcessingStepName>(wanted ?? stepsOfType[type])
  const steps = stepsOfType[type].filter((name) => {
    if (stepNeeds[name].some((need) => again.has(need))) again.add(name)
    return again.has(name)
  })
  return steps
}
