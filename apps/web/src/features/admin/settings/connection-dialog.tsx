import type { ModelConnection, NewConnectionJson, UpdateConnection } from '@mira/shared'
import { CONNECTION_NAME_MAX_CHARACTERS, CONNECTION_URL_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { updateCachedConnection } from './connections-queries.ts'
import { KeyField, useKeyChange } from './setting-fields.tsx'

/** Common servers with their default addresses. */
const connectionPresets = [
  { id: 'ollama', name: 'Ollama', address: 'http://localhost:11434/v1' },
  { id: 'llama-cpp', name: 'llama.cpp', address: 'http://localhost:8080/v1' },
  { id: 'vllm', name: 'vLLM', address: 'http://localhost:8000/v1' },
  { id: 'lm-studio', name: 'LM Studio', address: 'http://localhost:1234/v1' },
  { id: 'openai', name: 'OpenAI', address: 'https://api.openai.com/v1' },
  { id: 'openrouter', name: 'OpenRouter', address: 'https://openrouter.ai/api/v1' },
  { id: 'anthropic', name: 'Anthropic', address: 'https://api.anthropic.com/v1' },
  { id: 'google', name: 'Google', address: 'https://generativelanguage.googleapis.com/v1beta/openai' },
] as const

/** Parses headers, one per line; null when a line is invalid. */
export function readHeaders(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const headers = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line))
  if (headers.includes(null)) return null
  return Object.fromEntries(headers.map((header) => [header?.[1] ?? '', header?.[2] ?? '']))
}

/** Form of a new or existing connection; key and headers are write-only. */
export function ConnectionDialog({ connection, onClose }: { connection: ModelConnection | null; onClose: () => void }) {
  const text = useText('connections')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const queryClient = useQueryClient()
  const close = useCloseIfMounted(onClose)
  const [preset, setPreset] = useState('')
  const [name, setName] = useState(connection?.name ?? '')
  const [address, setAddress] = useState(connection?.base_url ?? '')
  const keyChange = useKeyChange()
  const [headers, setHeaders] = useState('')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [unreachable, setUnreachable] = useState<ModelConnection['check'] | null>(null)
  const skipsTest = useRef(false)
  const sentenceText = useSentenceText()
  const save = useMutation({
    mutationFn: async (values: NewConnectionJson & UpdateConnection) => {
      // chat would fail with an unreachable server, so saving one requires confirmation
      if (!skipsTest.current) {
        const trial = await call('POST /admin/connections/test', { json: { ...values, id: connection?.id } })
        if (trial.check.state === 'error') return { problem: trial.check }
      }
      const saved =
        connection === null
          ? call('POST /admin/connections', { json: values })
          : call('PATCH /admin/connections/:id', { params: { id: connection.id }, json: values })
      return { saved: await saved }
    },
    onSuccess: ({ saved, problem }) => {
      if (saved === undefined) return setUnreachable(problem)
      updateCachedConnection(queryClient, saved)
      close()
    },
    onError: (error) => {
      // the error isn't logged, because its message may contain the key
      console.error('The connection could not be saved')
      setErrors(fieldErrors(error))
    },
  })

  const submit = (isConfirmed = false) => {
    skipsTest.current = isConfirmed
    setUnreachable(null)
    const parsedHeaders = readHeaders(headers)
    const missing = Object.fromEntries([
      ...(name.trim() === '' ? [['name', text('form.required')]] : []),
      ...(address.trim() === '' ? [['base_url', text('form.required')]] : []),
      ...(parsedHeaders === null ? [['headers', text('form.headersWrong')]] : []),
    ])
    setErrors(missing)
    if (parsedHeaders === null || Object.keys(missing).length > 0) return
    save.mutate({
      name,
      base_url: address,
      ...keyChange.change,
      ...(headers.trim() === '' ? {} : { headers: parsedHeaders }),
    })
  }
  const errorOf = (field: string) => Object.entries(errors).find(([path]) => path.split('.')[0] === field)?.[1]
  const hasKey = connection?.has_key ?? false
  const storedHeaders = connection?.header_names ?? []

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(connection === null ? 'form.newTitle' : 'form.editTitle')}
      onSubmit={() => submit()}
      submitLabel={text('form.save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(errors).length === 0 && (
          <Banner tone="error">{errorText(save.error, text('form.failed'))}</Banner>
        )}
        {unreachable && (
          <Banner tone="error">
            <p>{sentenceText(unreachable.reason ?? text('form.unreachable'), unreachable.told)}</p>
            <p className="mt-1">{text('form.unreachableFix')}</p>
            <Button size="sm" className="mt-2" onClick={() => submit(true)}>
              {text('form.saveAnyway')}
            </Button>
          </Banner>
        )}
        {connection === null && (
          <Select
            label={text('form.preset')}
            value={preset}
            options={[
              { value: '', label: text('form.own') },
              ...connectionPresets.map(({ id, name: label }) => ({ value: id as string, label })),
            ]}
            onValueChange={(id) => {
              setPreset(id)
              const defaults = connectionPresets.find((one) => one.id === id)
              if (defaults === undefined) return
              setName(defaults.name)
              setAddress(defaults.address)
            }}
          />
        )}
        <TextField
          label={text('form.name')}
          required
          data-autofocus=""
          maxLength={CONNECTION_NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={name}
          error={errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={text('form.address')}
          required
          type="url"
          hint={text('form.addressHint')}
          maxLength={CONNECTION_URL_MAX_CHARACTERS}
          autoComplete="off"
          spellCheck={false}
          value={address}
          error={errorOf('base_url')}
          onChange={(event) => setAddress(event.target.value)}
        />
        <KeyField
          keyChange={keyChange}
          isKept={hasKey}
          hint={text(hasKey ? 'form.keyKept' : 'form.keyHint')}
          error={errorOf('api_key')}
        />
        <TextArea
          label={text('form.headers')}
          hint={
            storedHeaders.length > 0
              ? text('form.headersKept', { names: storedHeaders.join(', ') })
              : text('form.headersHint')
          }
          rows={2}
          autoComplete="off"
          spellCheck={false}
          value={headers}
          error={errorOf('headers')}
          onChange={(event) => setHeaders(event.target.value)}
        />
      </div>
    </FormDialog>
  )
}
