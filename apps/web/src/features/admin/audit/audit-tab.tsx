import { fileNameOf } from '@mira/client/file-name'
import type { AuditEntryJson, AuditResponseJson } from '@mira/shared'
import { roles, tokenScopes } from '@mira/shared/constants/accounts'
import { type AuditAction, auditActions } from '@mira/shared/constants/activity'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Download, ScrollText, SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, callForResponse } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { DebouncedSearchField } from '../../../ui/debounced-search-field.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'

/** Filters of the audit log; empty strings match everything. */
interface AuditSearch {
  query: string
  outcome: '' | 'done' | 'begun' | 'failed'
}

const queryOf = ({ query, outcome }: AuditSearch) => ({ query: query || null, outcome: outcome || null })

/** A page of the audit log, newest first. */
async function fetchAudit(
  search: AuditSearch,
  page: { limit: number; cursor: string | null },
  signal?: AbortSignal,
): Promise<AuditResponseJson> {
  return call('GET /admin/audit', { signal, query: { ...queryOf(search), ...page } })
}

/** All matching entries as a CSV file, with the server's file name. */
async function exportAudit(search: AuditSearch): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /admin/audit/export', { query: queryOf(search), timeoutMs: 600_000 })
  return { blob: await response.blob(), name: fileNameOf(response.headers.get('Content-Disposition'), 'audit.csv') }
}

type Underscored<Name extends string> = Name extends `${infer Head}.${infer Tail}` ? `${Head}_${Tail}` : Name
type ActionKey = `action.${Underscored<AuditAction> | 'request'}`

const fields = [
  ...(['username', 'email', 'full_name', 'role', 'is_active'] as const),
  ...(['can_chat', 'can_upload', 'can_use_voice', 'can_use_agents', 'password', 'storage_limit_bytes'] as const),
] as const
const methods = ['password', 'code', 'passkey', 'oidc', 'invitation'] as const

/** Text key of an action; entries of earlier versions name some actions by method and path. */
function sentenceKey(action: string): ActionKey {
  const auditAction = auditActions.find((one) => one === action)
  return auditAction === undefined ? 'action.request' : (`action.${auditAction.replace('.', '_')}` as ActionKey)
}

/** Texts and formats for a line of the log; shared terms come from other screens' texts. */
interface AuditWords {
  text: Text<'audit'>
  appText: Text<'app'>
  usersText: Text<'users'>
  errorsText: Text<'errors'>
  format: Format
}

/** Details of an action as separate texts; unknown details are shown as stored. */
function detailParts({ detail }: Pick<AuditEntryJson, 'detail'>, words: AuditWords): string[] {
  const { text, appText, usersText, errorsText, format } = words
  const roleOf = (value: unknown) => {
    const role = roles.find((one) => one === value)
    return role === undefined ? String(value) : appText(`roles.${role}`)
  }
  const valueText = (name: string): string | null => {
    const value = detail[name]
    if (name === 'role' && value !== undefined) return roleOf(value)
    if (name === 'storage_limit_bytes' && typeof value === 'number') return format.bytes(value)
    return typeof value === 'boolean' ? text(value ? 'detail.yes' : 'detail.no') : null
  }
  const fieldOf = (name: string): string => {
    const knownField = fields.find((one) => one === name)
    const [field, value] = [knownField === undefined ? name : text(`fields.${knownField}`), valueText(name)]
    return value === null ? field : text('detail.value', { field, value })
  }
  const changed = Array.isArray(detail.changed) ? detail.changed.map(String) : []
  return Object.entries(detail).flatMap(([name, value]) => {
    if (changed.includes(name)) return []
    if (name === 'changed')
      return changed.length === 0 ? [] : text('detail.changed', { fields: listOf(changed, fieldOf) })
    if (name === 'role') return text('detail.role', { role: roleOf(value) })
    if (name === 'method') {
      const method = methods.find((one) => one === value)
      return text('detail.method', { method: method ? usersText(`devices.methods.${method}`) : String(value) })
    }
    if (name === 'scopes' && Array.isArray(value)) {
      const scopeOf = (one: string) => {
        const scope = tokenScopes.find((candidate) => candidate === one)
        return scope === undefined ? one : usersText(`tokens.scope.${scope}`)
      }
      return text('detail.scopes', { scopes: listOf(value.map(String), scopeOf) })
    }
    if (name === 'attempts' && typeof value === 'number') return text('detail.attempts', { count: value })
    if (name === 'error') {
      const code = value as Parameters<typeof errorsText.has>[0]
      return text('detail.error', { reason: errorsText.has(code) ? errorsText(code) : String(value) })
    }
    return `${name}: ${listOf([value].flat().map(String), (one) => one)}`
  })
}

const listOf = (names: string[], word: (name: string) => string) => names.map(word).join(', ')

const tones: Record<AuditEntryJson['outcome'], BadgeTone> = { done: 'success', begun: 'neutral', failed: 'danger' }

/** Entry of the log: a sentence with user and action, and below it time, IP address and the action's name in the CSV file. */
export function AuditLine({ entry }: { entry: AuditEntryJson }) {
  const text = useText('audit')
  const format = useFormat()
  const words = { text, appText: useText('app'), usersText: useText('users'), errorsText: useText('errors'), format }
  const { action, outcome, address, via, actor_name: actor, subject_name: subject, subject_id: id } = entry
  const sentence = text.rich(sentenceKey(action), {
    actor: actor ?? text('somebody'),
    subject: subject ?? id ?? text('unknown'),
    action,
    who: (chunks: ReactNode) => <span className="font-medium">{chunks}</span>,
  })
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-5 py-3">
      <div className="min-w-0 flex-1">
        <p className="text-14 wrap-anywhere">{sentence}</p>
        <p className="flex flex-wrap gap-x-3 text-13 text-muted">
          <RelativeTime moment={entry.created_at} />
          {address !== null && <span className="font-mono text-12 leading-5">{address}</span>}
          <span>{text(`via.${via}`)}</span>
          {detailParts(entry, words).map((part) => (
            <span key={part} className="wrap-anywhere">
              {part}
            </span>
          ))}
          <code className="text-12 leading-5 wrap-anywhere">{action}</code>
        </p>
      </div>
      <Badge tone={tones[outcome]}>{text(`outcome.${outcome}`)}</Badge>
    </li>
  )
}

const PAGE_SIZE = 50
const noFilters: AuditSearch = { query: '', outcome: '' }
const outcomes = ['', 'done', 'begun', 'failed'] as const

/** The audit log: actions of administrators and sign-ins, to search and export. */
export function AuditTab() {
  const text = useText('audit')
  const appText = useText('app')
  const [search, setSearch] = useState(noFilters)
  const query = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) => fetchAudit(search, { limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const isFiltered = search.query !== '' || search.outcome !== ''
  const change = (part: Partial<AuditSearch>) => setSearch((before) => ({ ...before, ...part }))
  return (
    <section aria-labelledby="audit" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 id="audit" className="text-20 font-semibold">
            {text('title')}
          </h2>
          <p className="mt-1 text-14 text-muted">{text('subtitle')}</p>
        </div>
        <ExportButton search={search} />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <DebouncedSearchField
          label={text('search')}
          clearLabel={appText('common.clearSearch')}
          placeholder={text('placeholder')}
          maxLength={200}
          query={search.query}
          onQueryChange={(next) => change({ query: next })}
          className="min-w-56 flex-1"
        />
        <Select<AuditSearch['outcome'] | 'all'>
          label={text('outcome.label')}
          value={search.outcome || 'all'}
          onValueChange={(value) => change({ outcome: value === 'all' ? '' : value })}
          options={outcomes.map((value) => ({ value: value || 'all', label: text(`outcome.${value || 'all'}`) }))}
        />
      </div>
      <Card flush className={classNames('transition-opacity', query.isPlaceholderData && 'opacity-55')}>
        {query.isLoadingError && <LoadFailed query={query} />}
        {query.isPending && (
          <LoadingRegion label={appText('common.loading')} className="p-5">
            <Skeleton className="h-40" />
          </LoadingRegion>
        )}
        {query.data && entries.length === 0 && (
          <EmptyState
            level={3}
            icon={isFiltered ? <SearchX /> : <ScrollText />}
            title={text('empty')}
            text={text(isFiltered ? 'emptySearch' : 'emptyText')}
          />
        )}
        {entries.length > 0 && (
          <ul className="divide-y divide-border">
            {entries.map((entry) => (
              <AuditLine key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
      </Card>
      <NextPage query={query} label={text('more')} />
    </section>
  )
}

function ExportButton({ search }: { search: AuditSearch }) {
  const text = useText('audit')
  const errorText = useErrorText()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      saveFile(await exportAudit(search))
    } catch (error) {
      console.error('The audit log could not be exported', error)
      showToast({ tone: 'danger', title: text('exportFailed'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={<Download aria-hidden />} loading={isBusy} onClick={() => void save()}>
      {text('export')}
    </Button>
  )
}
