import { can } from '@mira/shared/access'
import { useQuery } from '@tanstack/react-query'
import { type LucideIcon, MessageSquare, NotebookPen, Search, Settings, Sparkles } from 'lucide-react'
import { fetchChatSessions } from '../api/chat.ts'
import { fetchLibrary } from '../api/media.ts'
import { useLanguage, useText } from '../lib/i18n.ts'
import { adminPath, chatPath, dashboardPath, itemPath, newNotePath, paths } from '../lib/paths.ts'
import { useUser } from '../lib/session.ts'
import { adminLink, mainLinks, mediaLinks } from './navigation.ts'
import { commandsByAgent } from './palette-commands.ts'
import { settingsByName } from './palette-settings.ts'

/** Limit for conversations and for items. */
const MOST_OF_A_KIND = 5

/** Something that the palette leads to. */
export interface PaletteEntry {
  /** Its words are `palette.<group>`. */
  group: 'pages' | 'settings' | 'conversations' | 'items' | 'agents'
  label: string
  path: string
  /** Command for the agent on that page. */
  command?: string
  Icon: LucideIcon
}

/** Everything that a query leads to for this person, the pages first; without a query the newest of what is theirs. */
export function usePaletteEntries(query: string): { entries: PaletteEntry[]; isLooking: boolean } {
  const text = useText('app')
  const language = useLanguage()
  const user = useUser()
  const mayChat = can(user, 'chat')
  const mayUpload = can(user, 'upload')
  const conversations = useQuery({
    queryKey: ['palette', 'conversations', query],
    queryFn: ({ signal }) => fetchChatSessions({ query, archived: 'any', limit: MOST_OF_A_KIND }, signal),
    placeholderData: (previous) => previous,
    enabled: mayChat,
  })
  const items = useQuery({
    queryKey: ['palette', 'items', query],
    queryFn: ({ signal }) => fetchLibrary({ query, limit: MOST_OF_A_KIND, cursor: null }, signal),
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
  const toBeSet = (settings.data ?? []).map(({ label, path }): PaletteEntry => {
    return { group: 'settings', label, path, Icon: Settings }
  })
  const isMeant = ({ label }: PaletteEntry) => label.toLowerCase().includes(query.toLowerCase())
  const found = query === '' ? [] : (items.data?.media_items ?? [])
  return {
    isLooking: conversations.isFetching || items.isFetching,
    entries: [
      ...pages.filter(isMeant),
      ...(query === '' ? [] : toBeSet.filter(isMeant).slice(0, MOST_OF_A_KIND)),
      ...(conversations.data?.items ?? []).map(({ id, session_name, snippet_message_id }) => ({
        group: 'conversations' as const,
        label: session_name,
        path: chatPath(id, snippet_message_id),
        Icon: MessageSquare,
      })),
      ...found.map(({ id, metadata }) => ({
        group: 'items' as const,
        label: metadata.original_filename,
        path: itemPath(id, query),
        Icon: Search,
      })),
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
      ...(query === '' ? [] : agentEntries.filter(isMeant).slice(0, MOST_OF_A_KIND)),
    ],
  }
}
