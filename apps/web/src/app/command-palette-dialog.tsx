import { can } from '@mira/shared/access'
import type { Language } from '@mira/shared/constants/languages'
import { useQuery } from '@tanstack/react-query'
import { type LucideIcon, MessageSquare, NotebookPen, Search, Settings, Sparkles } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call, callPage } from '../lib/api/client.ts'
import { fetchLibrary } from '../lib/api/library.ts'
import { loadNamespace, useLanguage, useText } from '../lib/i18n/i18n.ts'
import { agentCommands } from '../lib/session/agent-commands.ts'
import {
  type AdminSettingsCard,
  adminPath,
  adminSettingsPath,
  chatPath,
  dashboardPath,
  itemPath,
  newNotePath,
  paths,
} from '../lib/session/paths.ts'
import { useUser } from '../lib/session/session.ts'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { controlClass } from '../ui/field.tsx'
import { isComposing } from '../ui/is-composing.ts'
import { Spinner } from '../ui/spinner.tsx'
import { adminLink, mainLinks, mediaLinks } from './navigation.ts'

/** A setting, by the label on its card. */
interface PaletteSetting {
  label: string
  path: string
}

/** The user's settings by card, as keys of their texts. */
const ownCards = {
  appearance: ['appearance.title'],
  region: ['region.title', 'region.language', 'region.timeZone'],
  preferences: [
    'preferences.title',
    'preferences.notifications',
    'preferences.enterSends',
    'preferences.autoSave',
    'preferences.dataSaver',
    'preferences.analytics',
  ],
  data: ['data.title', 'data.export', 'data.clear', 'data.delete'],
} as const

const adminCards = ['general', 'signIn', 'engines', 'embeddings', 'models', 'retention', 'backups', 'feeds'] as const
adminCards satisfies readonly AdminSettingsCard[]

/** Settings that the user can change, with translated names. */
async function settingsByName(language: Language, isAdmin: boolean): Promise<PaletteSetting[]> {
  const [text, adminText] = await Promise.all([
    loadNamespace(language, 'settings'),
    isAdmin ? loadNamespace(language, 'settings-admin') : null,
  ])
  const own = Object.entries(ownCards).flatMap(([card, names]) =>
    names.map((name) => ({ label: text(name), path: `${dashboardPath('settings')}#${card}` })),
  )
  if (adminText === null) return own
  return [...own, ...adminCards.map((card) => ({ label: adminText(`${card}.title`), path: adminSettingsPath(card) }))]
}

/** Example commands of an agent. */
interface AgentCommands {
  name: string
  commands: string[]
}

/** Example commands of every agent, in the user's language. */
async function commandsByAgent(language: Language, signal: AbortSignal): Promise<AgentCommands[]> {
  const [agents, text] = await Promise.all([
    call('GET /agents/available', { signal }),
    loadNamespace(language, 'agents'),
  ])
  return agents.map((agent) => ({ name: agent.name, commands: agentCommands(agent, language, text) }))
}

/** Maximum number of conversations, items, settings or agent commands shown. */
const MAX_PER_GROUP = 5

/** Entry of the palette. */
interface PaletteEntry {
  /** Shown with the text `palette.<group>`. */
  group: 'pages' | 'settings' | 'conversations' | 'items' | 'agents'
  label: string
  path: string
  /** Example command to pass to the agent's page. */
  command?: string
  Icon: LucideIcon
}

/** Entries that match a query, pages first; without a query, all pages and the newest conversations. */
function usePaletteEntries(query: string): { entries: PaletteEntry[]; isSearching: boolean } {
  const text = useText('app')
  const language = useLanguage()
  const user = useUser()
  const mayChat = can(user, 'chat')
  const mayUpload = can(user, 'upload')
  const conversations = useQuery({
    queryKey: ['palette', 'conversations', query],
    queryFn: ({ signal }) =>
      callPage('GET /chat/sessions', {
        signal,
        query: { query: query || null, archived: 'any', limit: MAX_PER_GROUP },
      }),
    placeholderData: (previous) => previous,
    enabled: mayChat,
  })
  const items = useQuery({
    queryKey: ['palette', 'items', query],
    queryFn: ({ signal }) => fetchLibrary({ query, limit: MAX_PER_GROUP, cursor: null }, signal),
    placeholderData: (previous) => previous,
    enabled: mayUpload && query !== '',
  })
  const agents = useQuery({
    queryKey: ['palette', 'agents', language],
    queryFn: ({ signal }) => commandsByAgent(language, signal),
    enabled: can(user, 'agents'),
  })

  const isAdmin = can(user, 'admin')
  const settings = useQuery({
    queryKey: ['palette', 'settings', language, isAdmin],
    queryFn: () => settingsByName(language, isAdmin),
    staleTime: Number.POSITIVE_INFINITY,
  })

  const pages: PaletteEntry[] = [...mainLinks, ...mediaLinks, adminLink]
    .filter(({ access }) => can(user, access))
    .map(({ name, path, Icon }) => ({ group: 'pages', label: text(`nav.${name}`), path, Icon }))
  if (mayUpload) {
    pages.push({ group: 'pages', label: text('palette.writeNote'), path: newNotePath, Icon: NotebookPen })
  }
  pages.push({ group: 'pages', label: text('palette.settings'), path: dashboardPath('settings'), Icon: Settings })
  if (isAdmin) {
    pages.push({ group: 'pages', label: text('palette.adminSettings'), path: adminPath('settings'), Icon: Settings })
  }
  const agentEntries: PaletteEntry[] = (agents.data ?? []).flatMap(({ name, commands }) =>
    [null, ...commands].map((command) => ({
      group: 'agents' as const,
      label: command ?? name,
      Icon: Sparkles,
      path: `${paths.agents}?agent=${encodeURIComponent(name)}`,
      ...(command === null ? {} : { command }),
    })),
  )
  const settingEntries = (settings.data ?? []).map(({ label, path }): PaletteEntry => {
    return { group: 'settings', label, path, Icon: Settings }
  })
  const matches = ({ label }: PaletteEntry) => label.toLowerCase().includes(query.toLowerCase())
  const sessions = (conversations.data?.items ?? []).map(
    ({ id, session_name, snippet_message_id }): PaletteEntry => ({
      group: 'conversations',
      label: session_name,
      path: chatPath(id, snippet_message_id),
      Icon: MessageSquare,
    }),
  )
  const hits = (query === '' ? [] : (items.data?.media_items ?? [])).map(
    ({ id, metadata }): PaletteEntry => ({
      group: 'items',
      label: metadata.original_filename,
      path: itemPath(id, query),
      Icon: Search,
    }),
  )
  return {
    isSearching: conversations.isFetching || items.isFetching,
    entries: [
      ...pages.filter(matches),
      ...(query === '' ? [] : settingEntries.filter(matches).slice(0, MAX_PER_GROUP)),
      // Enter must not open a result of the previous query
      ...(conversations.isPlaceholderData ? sessions.filter(matches) : sessions),
      ...(items.isPlaceholderData ? hits.filter(matches) : hits),
      ...(query !== '' && mayUpload
        ? [
            {
              group: 'items' as const,
              label: text('palette.search', { query }),
              Icon: Search,
              path: `${paths.memory}?${new URLSearchParams({ q: query })}`,
            },
          ]
        : []),
      ...(query === '' ? [] : agentEntries.filter(matches).slice(0, MAX_PER_GROUP)),
    ],
  }
}

/** Field that finds pages, settings, conversations, items and agent commands. */
export function PaletteDialog({ getTypedText, onClose }: { getTypedText: () => string; onClose: () => void }) {
  const text = useText('app')
  const navigate = useNavigate()
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState(getTypedText)
  const [selectedIndex, setSelectedIndex] = useState(0)
  const { entries, isSearching } = usePaletteEntries(query.trim())
  const current = Math.min(selectedIndex, entries.length - 1)

  const go = ({ path, command }: PaletteEntry) => {
    onClose()
    void navigate(path, command === undefined ? {} : { state: { command } })
  }
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setSelectedIndex((current + step + entries.length) % entries.length)
    }
    // Radix gives Escape to the layer opened last, which may be a panel beside the page
    if (event.key === 'Escape') onClose()
    const entry = entries[current]
    if (event.key === 'Enter' && entry) {
      event.preventDefault()
      go(entry)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the selected entry in view
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('palette.title')}
      closeLabel={text('common.close')}
    >
      <div className="relative">
        <Search aria-hidden className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted" />
        <input
          data-autofocus=""
          role="combobox"
          aria-label={text('palette.title')}
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? `${listId}-${current}` : undefined}
          autoComplete="off"
          placeholder={text('palette.placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setSelectedIndex(0)
          }}
          onKeyDown={handleKey}
          className={classNames(controlClass, 'h-10 touch-target px-9')}
        />
        {isSearching && (
          <span className="absolute inset-y-0 right-3 grid place-items-center">
            <Spinner size="sm" />
          </span>
        )}
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={text('palette.title')}
        className="mt-3 h-80 overflow-y-auto overscroll-contain"
      >
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the selected entry
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
          <div
            key={`${entry.group} ${entry.path} ${entry.label}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => go(entry)}
            onPointerMove={() => setSelectedIndex(index)}
            className={classNames(
              'flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 text-14 pointer-coarse:min-h-11',
              index === current && 'bg-hover',
            )}
          >
            <entry.Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
            <span className="shrink-0 text-12 text-muted">{text(`palette.${entry.group}`)}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && !isSearching && <p className="text-14 text-muted">{text('palette.none')}</p>}
    </Dialog>
  )
}
