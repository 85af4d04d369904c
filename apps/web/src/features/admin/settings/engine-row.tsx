import type { Check, EngineChoice } from '@mira/shared'
import { MODEL_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import type { Capability } from '@mira/shared/constants/models'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, CircleX, FlaskConical, type LucideIcon } from 'lucide-react'
import { useId } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { connectionsQuery } from './connections-queries.ts'
import { localModelsQuery } from './models-card.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const looks: Record<Check['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/** A capability with its current engine, the selection, and a test. */
export function EngineRow({ capability, fields }: { capability: Capability; fields: SettingsFields }) {
  const text = useText('settings-admin')
  const sentenceText = useSentenceText()
  const listId = useId()
  const { check, choices, remote_models, environment } = fields.answer.engines[capability]
  const { data: local } = useQuery(localModelsQuery)
  const { data: connections = [] } = useQuery(connectionsQuery)
  const choice = fields.form.engines[capability] ?? { engine: 'auto' as const, model: '' }
  const choose = (change: Partial<typeof choice>) =>
    fields.change({ engines: { ...fields.form.engines, [capability]: { ...choice, ...change } } })
  const localModels = (local?.models ?? []).filter((model) => model.capability === capability).map(({ id }) => id)
  const connection = connections.find(({ id }) => id === choice.connection)
  const connectionModels = connection?.models.map(({ id }) => id).filter((id) => remote_models.includes(id))
  const models = choice.engine === 'local' ? localModels : (connectionModels ?? remote_models)
  const { tone, Icon } = looks[check.state]
  const name = text(`capabilities.${capability}.name`)
  const engineLabel = (engine: EngineChoice['engine']) =>
    engine === 'off' && capability === 'chat' ? text('engines.choices.builtIn') : text(`engines.choices.${engine}`)
  const hasModel = choices.some((engine) => engine === 'remote' || engine === 'local') && choice.engine !== 'off'

  return (
    <li className="flex flex-col gap-3 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0">
          <h3 className="text-14 font-medium">{name}</h3>
          <p className="text-13 text-muted">{text(`capabilities.${capability}.does`)}</p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`engines.states.${check.state}`)}
        </Badge>
      </div>
      {check.engine && (
        <p className="text-13 break-words">
          {text('engines.now', { engine: engineWord(text, check.engine), model: check.model ?? '—' })}
        </p>
      )}
      {check.reason && <p className="text-13 break-words text-muted">{sentenceText(check.reason, check.told)}</p>}
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={text('engines.engine', { name })}
          value={choice.engine}
          options={choices.map((engine) => ({ value: engine, label: engineLabel(engine) }))}
          error={fields.errorOf(`engines.${capability}.engine`)}
          onValueChange={(engine) => choose({ engine })}
        />
        {choice.engine === 'remote' && (connections.length > 1 || choice.connection !== undefined) && (
          <Select
            label={text('engines.connection', { name })}
            value={connection?.id ?? ''}
            options={[
              { value: '', label: text('engines.anyConnection') },
              ...connections.map(({ id, name: label }) => ({ value: id, label })),
            ]}
            onValueChange={(id) => choose({ connection: id === '' ? undefined : id })}
          />
        )}
        {hasModel && (
          <TextField
            label={text('engines.model', { name })}
            list={listId}
            autoComplete="off"
            spellCheck={false}
            maxLength={MODEL_NAME_MAX_CHARACTERS}
            placeholder={environment?.model ?? text('engines.anyModel')}
            value={choice.model}
            error={fields.errorOf(`engines.${capability}.model`)}
            onChange={(event) => choose({ model: event.target.value })}
          />
        )}
        {hasModel && (
          <datalist id={listId}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        )}
      </div>
      <EngineTest capability={capability} name={name} isChanged={fields.isChanged} />
    </li>
  )
}

/** Tests the engine in use, and shows the result. */
function EngineTest({ capability, name, isChanged }: { capability: Capability; name: string; isChanged: boolean }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const trial = useMutation({
    mutationFn: () => call('POST /admin/engines/test', { json: { capability }, timeoutMs: 150_000 }),
    onError: (error) => console.error('Failed to test the engine', error),
  })
  const result = trial.data
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <Button
        size="sm"
        icon={<FlaskConical aria-hidden />}
        loading={trial.isPending}
        aria-label={text('trial.one', { name })}
        onClick={() => trial.mutate()}
      >
        {text('trial.button')}
      </Button>
      <div role="status" className="min-w-0 flex-1 basis-60 text-13">
        {trial.isPending && <span className="text-muted">{text('trial.running')}</span>}
        {trial.isError && <span className="text-danger-text">{errorText(trial.error, text('trial.failed'))}</span>}
        {result && !trial.isPending && (
          <>
            <span
              className={`flex items-center gap-1.5 font-medium ${result.ok ? 'text-success-text' : 'text-danger-text'}`}
            >
              {result.ok ? (
                <CircleCheck aria-hidden className="size-4 shrink-0" />
              ) : (
                <CircleX aria-hidden className="size-4 shrink-0" />
              )}
              {text(result.ok ? 'trial.works' : 'trial.doesNot', {
                engine: result.engine ? engineWord(text, result.engine) : '—',
                model: result.model ?? '—',
                // in milliseconds below 0.1 s, which would otherwise be shown as "0.0 s"
                time:
                  result.duration_ms < 100
                    ? `${format.number(result.duration_ms)} ms`
                    : format.duration(result.duration_ms / 1000),
              })}
            </span>
            <span className="mt-0.5 block break-words text-muted">{sentenceText(result.detail, result.told)}</span>
          </>
        )}
        {isChanged && !trial.isPending && !result && <span className="text-muted">{text('trial.savedOnly')}</span>}
      </div>
    </div>
  )
}

function engineWord(text: ReturnType<typeof useText<'settings-admin'>>, engine: string): string {
  if (engine === 'remote' || engine === 'local') return text(`engines.words.${engine}`)
  return engine === 'built-in' ? text('engines.words.builtIn') : engine
}
