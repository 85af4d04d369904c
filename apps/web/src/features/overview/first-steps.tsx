import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { updatePreferences } from '../../api/account.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { FIRST_STEPS_PARAMETER } from '../../lib/paths.ts'
import { session, useUser } from '../../lib/session.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { type FirstStep, firstStepsOf, firstStepsQuery, nothingYet } from './first-steps-query.ts'

/** Checklist for new users; steps complete themselves, and it's hidden once all are done or the user dismisses it. */
export function FirstSteps() {
  const text = useText('overview')
  const errorText = useErrorText()
  const user = useUser()
  const [parameters, setParameters] = useSearchParams()
  const isAskedFor = parameters.has(FIRST_STEPS_PARAMETER)
  const isWanted = isAskedFor || !user.preferences.hides_first_steps
  const { data, isError } = useQuery({ ...firstStepsQuery(user), enabled: isWanted })

  const steps = firstStepsOf(user, data ?? nothingYet(user))
  const needed = steps.filter(({ isNeeded }) => isNeeded)
  const doneCount = needed.filter(({ isDone }) => isDone).length
  const areDone = data !== undefined && doneCount === needed.length
  const wereDone = useWhetherDone(user.id, data === undefined ? undefined : areDone)
  if (!isWanted || steps.length === 0) return null
  // until it is known what is done, its place is kept, so that nothing below is pushed down
  if (data === undefined ? isError || (wereDone && !isAskedFor) : areDone && !isAskedFor) return null

  const putAway = async () => {
    setParameters({}, { replace: true })
    try {
      await updatePreferences({ hides_first_steps: true })
      await session.refresh()
    } catch (error) {
      showToast({ tone: 'danger', title: errorText(error) })
    }
  }

  return (
    <div className={`mt-4 border-t border-accent/20 pt-3${data === undefined ? ' invisible' : ''}`}>
      <div className="flex items-center justify-between gap-3">
        <h3 id="first-steps" className="text-14 font-semibold">
          {text('steps.title')}{' '}
          <span className="ml-1 text-13 font-normal text-muted tabular-nums">
            {text('steps.progress', { done: doneCount, count: needed.length })}
          </span>
        </h3>
        <IconButton name={text('steps.hide')} icon={<X aria-hidden />} size="sm" onClick={() => void putAway()} />
      </div>
      <ol aria-labelledby="first-steps" className="mt-1 grid gap-x-6 sm:grid-cols-2">
        {steps.map((step) => (
          <Step key={step.name} {...step} isOnly={steps.length === 1} />
        ))}
      </ol>
    </div>
  )
}

/** True when all steps were done at this browser's last visit; stores the current state for the next. */
function useWhetherDone(userId: string, areDone: boolean | undefined): boolean {
  const key = `first-steps-done-${userId}`
  useEffect(() => {
    if (areDone !== undefined && areDone !== (readStored(key) !== null)) writeStored(key, areDone ? 'yes' : null)
  }, [key, areDone])
  return readStored(key) !== null
}

function Step({ name, isDone, isNeeded, path, has, isOnly }: FirstStep & { isOnly: boolean }) {
  const text = useText('overview')
  // who keeps nothing here has no "it" to ask about
  const label = text(name === 'ask' && isOnly ? 'steps.askAnything' : `steps.${name}`, { has: has ?? 0 })
  return (
    <li className="min-w-0">
      <Link
        to={path}
        className="-mx-2 flex min-h-10 items-center gap-2.5 rounded-control px-2 py-1 text-14 shade-on-hover pointer-coarse:min-h-11"
      >
        {isDone ? (
          <CircleCheck aria-label={text('steps.done')} className="size-4.5 shrink-0 text-success-text" />
        ) : (
          <CircleDashed aria-label={text('steps.open')} className="size-4.5 shrink-0 text-muted" />
        )}
        <span className={isDone ? 'min-w-0 text-muted' : 'min-w-0 font-medium'}>
          {label}
          {!isNeeded && !isDone && <span className="font-normal text-muted"> ({text('steps.optional')})</span>}
        </span>
      </Link>
    </li>
  )
}
