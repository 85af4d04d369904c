import type { AuthSessionJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone, Terminal } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { QueryList } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { SkeletonText } from '../../../ui/skeleton.tsx'

const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: [pattern: RegExp, name: string, kind: DeviceKind][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS', 'computer'],
  [/\bLinux\b/, 'Linux', 'computer'],
]

type DeviceKind = 'computer' | 'phone' | 'script'

/** Reads the names of browser or script and system from a User-Agent header; a name that it doesn't contain is empty. */
export function readUserAgent(userAgent: string): { kind: DeviceKind; app: string; system: string } {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [, system = '', kind = 'computer'] = systems.find(([pattern]) => pattern.test(userAgent)) ?? []
  if (browser) return { kind, app: browser, system }
  // Scripts send names such as "curl/8.5.0".
  const app = /^[\w.-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] ?? ''
  return { kind: 'script', app: app === 'Mozilla' ? '' : app, system }
}

const devicesKey = ['auth-sessions']
const listSessions = (signal?: AbortSignal) => call('GET /auth/sessions', { signal, query: { limit: 200 } })
const icons = { computer: Monitor, phone: Smartphone, script: Terminal }

/** The user's active sign-ins, with a button to end each one except the current one. */
export function Devices() {
  const text = useText('users')
  const confirm = useConfirm()
  const query = useQuery({
    queryKey: devicesKey,
    queryFn: ({ signal }) => listSessions(signal),
  })
  const end = useEndSessions()
  const others = query.data?.filter(({ current }) => !current) ?? []

  useEffect(() => {
    if (query.error) console.error('The signed-in devices could not be loaded', query.error)
  }, [query.error])

  const endOthers = async () => {
    const isConfirmed = await confirm({
      question: text('devices.endOthersQuestion'),
      detail: text('devices.endOthersDetail', { count: others.length }),
      confirmLabel: text('devices.endOthers'),
      tone: 'danger',
    })
    if (isConfirmed) end.mutate(null)
  }

  return (
    <Card>
      <CardHeader
        title={text('devices.title')}
        description={text('devices.subtitle')}
        actions={
          others.length > 0 && (
            <Button size="sm" disabled={end.isPending} onClick={() => void endOthers()}>
              {text('devices.endOthers')}
            </Button>
          )
        }
      />
      <QueryList
        query={query}
        items={query.data}
        label={text('devices.title')}
        loading={<SkeletonText lines={2} />}
        empty={undefined}
      >
        {(device) => (
          <Device
            key={device.id}
            device={device}
            isEnding={end.isPending && (end.variables ?? device.id) === device.id}
            onEnd={() => end.mutate(device.id)}
          />
        )}
      </QueryList>
    </Card>
  )
}

/** Ends a session; does nothing if it has already ended. */
async function endSession(id: string): Promise<void> {
  await call('DELETE /auth/sessions/:id', { params: { id } }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
}

/** Ends all sessions but this one, including those that began after the list was loaded. @returns their number. */
async function endOtherSessions(): Promise<number> {
  for (let count = 0; ; ) {
    const others = (await listSessions()).filter(({ current }) => !current)
    if (others.length === 0) return count
    for (const { id } of others) await endSession(id)
    count += others.length
  }
}

/** Ends one session or, with null, all others, and refreshes the list. */
function useEndSessions() {
  const text = useText('users')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: string | null) => (id === null ? endOtherSessions() : endSession(id).then(() => 1)),
    onSuccess: (count) => showToast({ tone: 'success', title: text('devices.ended', { count }) }),
    onError: (error) => {
      console.error('A device could not be signed out', error)
      showToast({ tone: 'danger', title: text('devices.endFailed'), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: devicesKey }),
  })
}

function Device({ device, isEnding, onEnd }: { device: AuthSessionJson; isEnding: boolean; onEnd: () => void }) {
  const text = useText('users')
  const { kind, app, system } = readUserAgent(device.user_agent)
  const Icon = icons[kind]
  const name = app && system ? text('devices.name', { app, system }) : app || system || text('devices.unknown')
  return (
    <li className="flex items-center gap-3 py-3">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-control bg-surface-sunken text-muted"
      >
        <Icon className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-14 font-medium" title={device.user_agent}>
          {name}
          {device.current && <Badge tone="success">{text('devices.current')}</Badge>}
        </p>
        <p className="text-13 text-muted">
          {text('devices.lastUsed')} <RelativeTime moment={device.last_used_at} /> ·{' '}
          {text(`devices.methods.${device.method}`)}
          {device.address && ` · ${device.address}`}
        </p>
      </div>
      {!device.current && (
        <Button size="sm" loading={isEnding} aria-label={text('devices.endOne', { name })} onClick={onEnd}>
          {text('devices.end')}
        </Button>
      )}
    </li>
  )
}
