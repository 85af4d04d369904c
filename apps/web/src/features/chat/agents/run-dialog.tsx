import type { AgentRunJson, AgentView } from '@mira/shared'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, CircleX, Play, RotateCcw, Square, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { changesData, useAgentWords } from './agent-words.ts'
import { runsQuery, useAgentCall } from './agents-queries.ts'
import { CallOutcome } from './call-outcome.tsx'
import { CallResult } from './call-result.tsx'

/** Same value as `AGENT_INPUT_MAX_CHARACTERS` of the API contract. */
const INPUT_MAX_CHARACTERS = 4000

/** Input field for an agent, with a button that starts a call or stops the running one. */
export function CallInput({
  isRunning,
  focusesOnOpen = false,
  submitLabel,
  onChange,
  onSubmit,
  onStop,
  ...input
}: CallInputProps) {
  const text = useText('agents')
  const isBlank = input.value.trim() === ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlank && !isRunning) onSubmit()
      }}
      className="flex flex-col gap-2 sm:flex-row"
    >
      <TextField
        {...input}
        // Not focused on touch devices, where the on-screen keyboard would cover the dialog.
        data-autofocus={(focusesOnOpen && matchMedia('(pointer: fine)').matches) || undefined}
        labelHidden
        autoComplete="off"
        enterKeyHint="go"
        maxLength={INPUT_MAX_CHARACTERS}
        onChange={(event) => onChange(event.target.value)}
        className="min-w-0 flex-1"
      />
      {isRunning ? (
        <Button
          size="lg"
          className="sm:h-10"
          icon={<Square aria-hidden fill="currentColor" className="scale-75" />}
          onClick={onStop}
        >
          {text('call.stop')}
        </Button>
      ) : (
        <Button
          type="submit"
          size="lg"
          className="sm:h-10"
          variant="primary"
          disabled={isBlank}
          icon={<Play aria-hidden />}
        >
          {submitLabel}
        </Button>
      )}
    </form>
  )
}

type CallInputProps = {
  label: string
  placeholder?: string
  value: string
  isRunning: boolean
  /** Focuses the field when its dialog opens. */
  focusesOnOpen?: boolean
  submitLabel: string
  onChange: (value: string) => void
  onSubmit: () => void
  onStop: () => void
}

const outcomeIcons = {
  completed: { Icon: CircleCheck, className: 'text-success-text' },
  failed: { Icon: CircleX, className: 'text-danger-text' },
  interrupted: { Icon: CircleSlash, className: 'text-muted' },
}

/** The user's calls of an agent, to view, run again or delete. */
function RunHistory({ agent, onRunAgain }: RunHistoryProps) {
  const text = useText('agents')
  const confirm = useConfirm()
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(runsQuery(agent))
  const remove = useMutation({
    mutationFn: (id: string | null) =>
      id === null
        ? call('DELETE /agents/:name/runs', { params: { name: agent } })
        : call('DELETE /agents/runs/:id', { params: { id } }),
    onError: (error) =>
      showToast({ title: text('history.deleteFailed'), description: errorText(error), tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runsQuery(agent).queryKey }),
  })
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? []

  const removeAll = async () => {
    const isSure = await confirm({
      question: text('history.confirm'),
      detail: text('history.confirmDetail'),
      confirmLabel: text('history.confirmYes'),
      tone: 'danger',
    })
    if (isSure) remove.mutate(null)
  }

  return (
    <section aria-labelledby="agent-history" className="flex flex-col gap-3 border-t border-border pt-5">
      <div className="flex items-center justify-between gap-3">
        <h3 id="agent-history" className="text-16 font-semibold">
          {text('history.title')}
        </h3>
        {runs.length > 0 && (
          <Button size="sm" variant="ghost" icon={<Trash2 aria-hidden />} onClick={() => void removeAll()}>
            {text('history.deleteAll')}
          </Button>
        )}
      </div>
      {query.isPending && <Skeleton className="h-12 rounded-control" />}
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.data && runs.length === 0 && <p className="text-14 text-muted">{text('history.empty')}</p>}
      {runs.length > 0 && (
        <ul className="divide-y divide-border rounded-card border border-border">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} onRunAgain={onRunAgain} onDelete={() => remove.mutate(run.id)} />
          ))}
        </ul>
      )}
      <NextPage query={query} />
    </section>
  )
}

function RunRow({ run, onRunAgain, onDelete }: RunRowProps) {
  const text = useText('agents')
  const format = useFormat()
  const [isOpen, setIsOpen] = useState(false)
  const { Icon, className } = outcomeIcons[run.outcome]
  return (
    <li className="flex min-w-0 flex-col">
      <div className="flex min-w-0 items-center gap-1 pr-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-w-0 flex-1 touch-target items-center gap-2.5 rounded-card px-3 py-2 text-left"
        >
          <Icon aria-hidden className={`size-4 shrink-0 ${className}`} />
          <VisuallyHidden>{text(`outcomes.${run.outcome}`)}</VisuallyHidden>
          <span className="min-w-0 flex-1">
            <span className="block truncate text-14">{run.input}</span>
            <span className="flex flex-wrap gap-x-2 text-12 text-muted">
              <RelativeTime moment={run.created_at} />
              <span>{durationText(run.duration_ms, format)}</span>
              <span>{text(`origins.${run.origin}`)}</span>
            </span>
          </span>
        </button>
        <IconButton
          name={text('history.again', { input: run.input })}
          icon={<RotateCcw aria-hidden />}
          onClick={() => onRunAgain(run.input)}
        />
        <IconButton
          name={text('history.delete', { input: run.input })}
          icon={<Trash2 aria-hidden />}
          onClick={onDelete}
        />
      </div>
      {isOpen && (
        <div className="border-t border-border p-3">
          {run.outcome === 'interrupted' ? (
            <p className="text-14 text-muted">{text('call.stopped')}</p>
          ) : (
            <CallResult data={run.data} output={run.output} />
          )}
        </div>
      )}
    </li>
  )
}

/** Duration of a call; in milliseconds if it took less than a second. */
function durationText(milliseconds: number, format: Format): string {
  return milliseconds < 1000 ? `${format.number(milliseconds)} ms` : format.duration(milliseconds / 1000)
}

type RunHistoryProps = { agent: string; onRunAgain: (input: string) => void }
type RunRowProps = { run: AgentRunJson; onRunAgain: (input: string) => void; onDelete: () => void }

/** Panel of one agent: its input, the result and previous calls. */
export function RunDialog({ agent, command, reminders, onClose }: RunDialogProps) {
  const text = useText('app')
  const agentWords = useAgentWords()
  // The dialog keeps its content while it closes.
  const [shownAgent, setShownAgent] = useState(agent)
  if (agent !== null && agent !== shownAgent) setShownAgent(agent)
  return (
    <Dialog
      open={agent !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={shownAgent?.name ?? ''}
      description={shownAgent ? agentWords(shownAgent).description : undefined}
      closeLabel={text('common.close')}
      size="lg"
    >
      {shownAgent && <RunPanel key={shownAgent.name} agent={shownAgent} command={command} reminders={reminders} />}
    </Dialog>
  )
}

function RunPanel({ agent, command, reminders }: { agent: AgentView; command: string | null; reminders?: ReactNode }) {
  const text = useText('agents')
  const { commands } = useAgentWords()(agent)
  const [input, setInput] = useState(command ?? '')
  const { call, start, stop } = useAgentCall()
  const { name, available } = agent
  const reason = useSentenceText()(agent.unavailable_reason ?? '', agent.unavailable_told)

  // The initial command runs immediately, unless the agent changes something.
  const runInitialCommand = useRef(() => {
    if (command !== null && available && !changesData(name)) start(name, command)
  })
  useEffect(() => {
    runInitialCommand.current()
  }, [])

  const run = (newInput: string) => {
    setInput(newInput)
    start(name, newInput)
  }
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-4">
        {!available && (
          <Banner tone="warning" title={text('status.unavailable')}>
            {reason}
          </Banner>
        )}
        <CallInput
          label={text('call.label', { agent: name })}
          placeholder={commands[0]}
          value={input}
          onChange={setInput}
          isRunning={call.step === 'running'}
          focusesOnOpen
          submitLabel={text('call.run')}
          onSubmit={() => run(input.trim())}
          onStop={stop}
        />
        <CallOutcome call={call} />
      </div>
      {name === 'ReminderAgent' && reminders && (
        <section aria-labelledby="agent-reminders" className="flex flex-col gap-2 border-t border-border pt-5">
          <h3 id="agent-reminders" className="text-16 font-semibold">
            {text('reminders.yours')}
          </h3>
          {reminders}
        </section>
      )}
      <RunHistory agent={name} onRunAgain={run} />
    </div>
  )
}

type RunDialogProps = {
  /** Null closes the dialog. */
  agent: AgentView | null
  /** Initial command, put into the input field; it runs immediately unless the agent changes something. Null for none. */
  command: string | null
  reminders?: ReactNode
  onClose: () => void
}
