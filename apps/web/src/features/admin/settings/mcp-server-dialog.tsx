import type { McpServerJson, NewMcpServerJson, NewOwnMcpServerJson, UpdateMcpServerJson } from '@mira/shared'
import { mcpAudiences } from '@mira/shared/constants/agents'
import {
  CONNECTION_NAME_MAX_CHARACTERS,
  CONNECTION_URL_MAX_CHARACTERS,
  PASSWORD_FIELD_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { accountsQuery } from './accounts-query.ts'
import { readHeaders } from './connection-dialog.tsx'
import { KeyField, useKeyChange } from './setting-fields.tsx'

/** Owner of MCP servers: the instance, whose administrators connect them for everyone, or one user. */
export type McpServerOwner = 'instance' | 'person'

/** Timeout of requests that list a server's tools, which may be slow. */
const TOOLS_TIMEOUT_MS = 45_000

/** Connects a server; the response has the result of requesting its tools. */
function addMcpServer(owner: McpServerOwner, server: NewMcpServerJson): Promise<McpServerJson> {
  const timeoutMs = TOOLS_TIMEOUT_MS
  // the form for users' own servers has only the permitted fields
  return owner === 'person'
    ? call('POST /me/mcp-servers', { json: server as NewOwnMcpServerJson, timeoutMs })
    : call('POST /admin/mcp-servers', { json: server, timeoutMs })
}

export function updateMcpServer(
  owner: McpServerOwner,
  id: string,
  changes: UpdateMcpServerJson,
): Promise<McpServerJson> {
  const options = { params: { id }, json: changes, timeoutMs: TOOLS_TIMEOUT_MS }
  return owner === 'person' ? call('PATCH /me/mcp-servers/:id', options) : call('PATCH /admin/mcp-servers/:id', options)
}

/** Requests a server's tools now. */
export function testMcpServer(owner: McpServerOwner, id: string): Promise<McpServerJson> {
  const key = owner === 'person' ? 'POST /me/mcp-servers/:id/test' : 'POST /admin/mcp-servers/:id/test'
  return call(key, { params: { id }, timeoutMs: TOOLS_TIMEOUT_MS })
}

/** Data of a card of MCP servers. */
interface McpServersData {
  servers: McpServerJson[]
  /** Offer servers that run as programs on the host. */
  allowsPrograms: boolean
  /** False when administrators don't let users connect their own servers. */
  mayAdd: boolean
}

/** Connected MCP servers, of the instance or the user's own. */
export const mcpServersQuery = (owner: McpServerOwner) =>
  queryOptions({
    queryKey: ['mcp-servers', owner],
    queryFn: async ({ signal }): Promise<McpServersData> => {
      if (owner === 'person') {
        const { allowed, servers } = await call('GET /me/mcp-servers', { signal })
        return { servers, allowsPrograms: false, mayAdd: allowed }
      }
      const { stdio_allowed, servers } = await call('GET /admin/mcp-servers', { signal })
      return { servers, allowsPrograms: stdio_allowed, mayAdd: true }
    },
  })

/** Puts a server into the cached list, or removes it. */
export function updateCachedMcpServer(
  queryClient: QueryClient,
  owner: McpServerOwner,
  id: string,
  server: McpServerJson | null,
): void {
  const { queryKey } = mcpServersQuery(owner)
  const previous = queryClient.getQueryData(queryKey)
  queryClient.setQueryData(queryKey, (cached) => {
    if (cached === undefined) return cached
    const isKnown = cached.servers.some((one) => one.id === id)
    const updated = cached.servers.flatMap((one) => (one.id === id ? (server ?? []) : one))
    return { ...cached, servers: isKnown || server === null ? updated : [...updated, server] }
  })
  // Servers share the number of tools, so that a change of one affects the others.
  const shares = [server, ...(previous?.servers ?? [])]
  if (shares.some((one) => one !== null && one.tools_left_out > 0)) void queryClient.invalidateQueries({ queryKey })
}

/** Form of a new or existing MCP server; key and headers are write-only. */
export function McpServerDialog({ owner, server, allowsPrograms, onClose }: McpServerDialogProps) {
  const text = useText('mcp-servers')
  const formText = useText('connections')
  const appText = useText('app')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const queryClient = useQueryClient()
  const close = useCloseIfMounted(onClose)
  const [isProgram, setIsProgram] = useState(server?.transport === 'stdio')
  const [name, setName] = useState(server?.name ?? '')
  const [address, setAddress] = useState(server?.url ?? '')
  const [command, setCommand] = useState(server?.command ?? '')
  const [programArguments, setProgramArguments] = useState((server?.arguments ?? []).join('\n'))
  const keyChange = useKeyChange()
  const [headers, setHeaders] = useState('')
  const [audience, setAudience] = useState(server?.audience ?? 'admins')
  const [userIds, setUserIds] = useState<string[]>(server?.user_ids ?? [])
  const [password, setPassword] = useState('')
  const [asksPassword, setAsksPassword] = useState(false)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const save = useMutation({
    mutationFn: (values: NewMcpServerJson) =>
      server === null ? addMcpServer(owner, values) : updateMcpServer(owner, server.id, values),
    onSuccess: (saved) => {
      updateCachedMcpServer(queryClient, owner, saved.id, saved)
      close()
    },
    onError: (error) => {
      // the error isn't logged, because its message may contain the key
      console.error('The MCP server could not be saved')
      setErrors(fieldErrors(error))
      // programs run with the server's permissions, so they require a recent sign-in
      if (error instanceof ApiError && error.code === 'confirmation_required') setAsksPassword(true)
    },
  })

  const submit = () => {
    const parsedHeaders = readHeaders(headers)
    const missing = Object.fromEntries([
      ...(name.trim() === '' ? [['name', formText('form.required')]] : []),
      ...(!isProgram && address.trim() === '' ? [['url', formText('form.required')]] : []),
      ...(isProgram && command.trim() === '' ? [['command', formText('form.required')]] : []),
      ...(parsedHeaders === null ? [['headers', formText('form.headersWrong')]] : []),
    ])
    setErrors(missing)
    if (parsedHeaders === null || Object.keys(missing).length > 0) return
    const lines = programArguments.split('\n').filter((line) => line !== '')
    save.mutate({
      name,
      ...(isProgram ? { command, arguments: lines } : { url: address }),
      ...keyChange.change,
      ...(asksPassword && password !== '' ? { current_password: password } : {}),
      ...(headers.trim() === '' ? {} : { headers: parsedHeaders }),
      ...(owner === 'instance' ? { audience, user_ids: audience === 'chosen' ? userIds : [] } : {}),
    })
  }
  const errorOf = (field: string) => Object.entries(errors).find(([path]) => path.split('.')[0] === field)?.[1]
  const storedHeaders = server?.header_names ?? []

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(server === null ? 'form.newTitle' : 'form.editTitle')}
      onSubmit={submit}
      submitLabel={formText('form.save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(errors).length === 0 && (
          <Banner tone="error">{errorText(save.error, text('form.failed'))}</Banner>
        )}
        {server === null && allowsPrograms && (
          <Select
            label={text('form.kind')}
            value={isProgram ? 'stdio' : 'http'}
            options={[
              { value: 'http', label: text('form.http') },
              { value: 'stdio', label: text('form.stdio') },
            ]}
            onValueChange={(kind) => setIsProgram(kind === 'stdio')}
          />
        )}
        <TextField
          label={formText('form.name')}
          required
          data-autofocus=""
          maxLength={CONNECTION_NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={name}
          error={errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        {isProgram ? (
          <>
            <TextField
              label={text('form.command')}
              required
              hint={text('form.commandHint')}
              autoComplete="off"
              spellCheck={false}
              value={command}
              error={errorOf('command')}
              onChange={(event) => setCommand(event.target.value)}
            />
            <TextArea
              label={text('form.arguments')}
              hint={text('form.argumentsHint')}
              rows={2}
              autoComplete="off"
              spellCheck={false}
              value={programArguments}
              error={errorOf('arguments')}
              onChange={(event) => setProgramArguments(event.target.value)}
            />
          </>
        ) : (
          <>
            <TextField
              label={formText('form.address')}
              required
              type="url"
              hint={text(owner === 'person' ? 'own.addressHint' : 'form.addressHint')}
              maxLength={CONNECTION_URL_MAX_CHARACTERS}
              autoComplete="off"
              spellCheck={false}
              value={address}
              error={errorOf('url')}
              onChange={(event) => setAddress(event.target.value)}
            />
            <KeyField
              keyChange={keyChange}
              isKept={server?.has_key ?? false}
              hint={formText(server?.has_key ? 'form.keyKept' : 'form.keyHint')}
              error={errorOf('api_key')}
            />
          </>
        )}
        <TextArea
          label={isProgram ? text('form.variables') : formText('form.headers')}
          hint={
            storedHeaders.length > 0
              ? formText('form.headersKept', { names: storedHeaders.join(', ') })
              : isProgram
                ? text('form.variablesHint')
                : formText('form.headersHint')
          }
          rows={2}
          autoComplete="off"
          spellCheck={false}
          value={headers}
          error={errorOf('headers')}
          onChange={(event) => setHeaders(event.target.value)}
        />
        {owner === 'instance' && (
          <Select
            label={text('form.audience')}
            value={audience}
            options={mcpAudiences.map((value) => ({ value, label: text(`form.audiences.${value}`) }))}
            onValueChange={setAudience}
          />
        )}
        {asksPassword && (
          <PasswordField
            label={appText('login.password')}
            name="confirmation"
            required
            autoComplete="current-password"
            maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
        {owner === 'instance' && audience === 'chosen' && <ChosenUsers userIds={userIds} onChange={setUserIds} />}
      </div>
    </FormDialog>
  )
}

/** Users who may use the server. */
function ChosenUsers({ userIds, onChange }: { userIds: string[]; onChange: (ids: string[]) => void }) {
  const text = useText('mcp-servers')
  const appText = useText('app')
  const query = useQuery(accountsQuery)
  if (query.isLoadingError) return <p className="text-13 text-danger-text">{appText('common.loadFailed')}</p>
  return (
    <fieldset>
      <legend className="mb-2 text-14 font-medium">{text('form.users')}</legend>
      <div className="flex max-h-48 flex-col gap-1 overflow-y-auto">
        {(query.data ?? []).map(({ id, username }) => (
          <Checkbox
            key={id}
            label={username}
            checked={userIds.includes(id)}
            onCheckedChange={(isChecked) =>
              onChange(isChecked ? [...userIds, id] : userIds.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

interface McpServerDialogProps {
  owner: McpServerOwner
  /** Null for a new server. */
  server: McpServerJson | null
  /** Offer servers that run as programs on the host. */
  allowsPrograms: boolean
  onClose: () => void
}
