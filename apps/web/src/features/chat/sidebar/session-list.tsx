import type { ChatSessionJson, ProjectJson } from '@mira/shared'
import { SESSION_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { ListChecks, SquarePen } from 'lucide-react'
import { type KeyboardEvent, lazy, memo, type RefObject, useDeferredValue, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths, projectChatPath } from '../../../lib/session/paths.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { lazyDialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { PartBoundary } from '../../../ui/lazy-part.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useProject } from '../chat-queries.ts'
import { groupByDay, useDayNames } from '../messages/days.ts'
import { useOnSeen } from '../messages/windowed.tsx'
import { ProjectBar } from './project-bar.tsx'
import { useSelection } from './selection-bar.tsx'
import { SessionRow } from './session-row.tsx'
import { sessionLinks, useSessionChanges } from './use-session-changes.ts'
import { type LoadedSessions, splitPinned, useSessionList } from './use-session-list.ts'
import { ALL_CONVERSATIONS, filterOf, type ListView, ViewMenu } from './view-menu.tsx'

const MoveDialog = lazyDialog(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))
const ProjectDialog = lazyDialog(() => import('../projects/project-dialog.tsx').then((module) => module.ProjectDialog))
const SessionTagsDialog = lazyDialog(() =>
  import('./session-tags-dialog.tsx').then((module) => module.SessionTagsDialog),
)
const ShareDialog = lazyDialog(() => import('../shares/share-dialog.tsx').then((module) => module.ShareDialog))

interface SessionDialogsOptions {
  onMoved: () => void
  onProjectSaved: (project: ProjectJson) => void
}

/** Dialogs of the list of conversations, and functions that open them. */
function useSessionDialogs({ onMoved, onProjectSaved }: SessionDialogsOptions) {
  const [sharedSession, share] = useState<ChatSessionJson | null>(null)
  const [taggedSessions, tag] = useState<readonly ChatSessionJson[] | null>(null)
  const [movedSessions, move] = useState<readonly ChatSessionJson[] | null>(null)
  /** Undefined while no project is being edited; null for a new project. */
  const [editedProject, editProject] = useState<ProjectJson | null>()
  const elements = (
    <>
      {editedProject !== undefined && (
        <ProjectDialog
          key={editedProject?.id ?? 'new'}
          project={editedProject}
          onSaved={onProjectSaved}
          onClose={() => editProject(undefined)}
        />
      )}
      {movedSessions && <MoveDialog sessions={movedSessions} onMoved={onMoved} onClose={() => move(null)} />}
      {taggedSessions && <SessionTagsDialog sessions={taggedSessions} onClose={() => tag(null)} />}
      {sharedSession && <ShareDialog key={sharedSession.id} session={sharedSession} onClose={() => share(null)} />}
    </>
  )
  return { share, tag, move, editProject, elements }
}

const SelectionBar = lazy(() => import('./selection-bar.tsx').then((module) => ({ default: module.SelectionBar })))

/** List of conversations with a search and a link to a new one; it's grouped by day, and scrolling loads more. */
export const SessionList = memo(function SessionList({
  currentId,
  searchField,
  onOpen,
  onRenamed,
  onDeleted,
}: SidebarSessionListProps) {
  const text = useText('chat')
  const common = useText('app')
  const conversationsText = useText('conversations')
  const [query, setQuery] = useState('')
  const [view, setView] = useState<ListView>(ALL_CONVERSATIONS)
  const project = useProject(view.kind === 'project' ? view.projectId : null)
  const filter = filterOf(view, useDeferredValue(query.trim()))
  const sessionList = useSessionList(filter)
  const { list, sessions, answeringIds } = sessionList
  const selection = useSelection(sessions)
  const dialogs = useSessionDialogs({
    onMoved: selection.end,
    onProjectSaved: ({ id }) => setView({ kind: 'project', projectId: id }),
  })
  const scroller = useRef<HTMLDivElement>(null)
  const days = useDayNames()
  const groups = useMemo(() => {
    const { pinned, others } = splitPinned(sessions)
    const byDay = groupByDay(others, ({ updated_at }) => updated_at, days)
    return pinned.length === 0 ? byDay : [{ key: 'pinned', name: text('list.pinned'), items: pinned }, ...byDay]
  }, [sessions, days, text])

  const changes = useSessionChanges({ list: sessionList, selection, scroller, currentId, onRenamed, onDeleted })

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-2 px-3 pb-2">
        <Link
          to={project ? projectChatPath(project.id) : paths.chat}
          onClick={onOpen}
          className={buttonClass({ className: 'w-full' })}
        >
          <SquarePen aria-hidden />
          {text('newChat')}
        </Link>
        <div ref={searchField} className="[&_input]:text-ellipsis">
          <SearchField
            label={text('list.search')}
            placeholder={text('list.search')}
            clearLabel={common('common.clearSearch')}
            value={query}
            onValueChange={setQuery}
            maxLength={SESSION_QUERY_MAX_CHARACTERS}
          />
        </div>
        <div className="flex items-center gap-1">
          <ViewMenu
            view={view}
            onChange={(next) => {
              setView(next)
              selection.end()
            }}
            onNewProject={() => dialogs.editProject(null)}
          />
          <IconButton
            size="sm"
            name={conversationsText(selection.isOn ? 'select.end' : 'select.start')}
            icon={<ListChecks aria-hidden />}
            aria-pressed={selection.isOn}
            onClick={selection.isOn ? selection.end : selection.begin}
          />
        </div>
        {project && (
          <ProjectBar
            project={project}
            onEdit={() => dialogs.editProject(project)}
            onDeleted={() => setView(ALL_CONVERSATIONS)}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows are an addition to the links inside */}
      <div ref={scroller} onKeyDown={moveByArrows} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {list.isPending && <ListSkeleton label={common('common.loading')} />}
        {list.isLoadingError && (
          <InlineError
            className="px-3 py-4"
            text={common('common.loadFailed')}
            retryLabel={common('common.retry')}
            retrying={list.isRefetching}
            onRetry={() => void list.refetch()}
          />
        )}
        {list.data && sessions.length === 0 && <EmptyList query={query.trim()} view={view} />}
        {groups.map((group) => (
          <section key={group.key} aria-label={group.name}>
            <h2 className="px-3 pt-3 pb-1 text-12 font-medium text-muted">{group.name}</h2>
            <ul className="flex flex-col gap-px">
              {group.items.map((session) => (
                <li key={session.id} className="flex items-center">
                  {selection.isOn && (
                    <Checkbox
                      label={session.session_name || text('list.unnamed')}
                      labelHidden
                      className="pl-2"
                      checked={selection.has(session.id)}
                      onCheckedChange={(isChecked) => selection.set(session.id, isChecked)}
                    />
                  )}
                  <SessionRow
                    session={session}
                    isCurrent={session.id === currentId}
                    isAnswering={answeringIds.has(session.id)}
                    onOpen={onOpen}
                    onRename={(name) => changes.rename(session, name)}
                    onPin={(isPinned) => changes.pin(session, isPinned)}
                    onArchive={(isArchived) => changes.archive(session, isArchived)}
                    onTag={() => dialogs.tag([session])}
                    onMove={() => dialogs.move([session])}
                    onExport={(format) => changes.exportAs(session, format)}
                    onShare={() => dialogs.share(session)}
                    onDelete={() => changes.remove(session)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {list.hasNextPage && <MoreSessions key={list.data?.pages.length} list={list} scroller={scroller} />}
      </div>
      {selection.isOn && (
        <PartBoundary onError={selection.end}>
          <SelectionBar
            count={selection.ids.length}
            isInArchive={selection.isAllArchived}
            onAll={selection.all}
            onArchive={changes.archiveSelected}
            onMove={() => dialogs.move(selection.sessions)}
            onTag={() => dialogs.tag(selection.sessions)}
            onDelete={changes.removeSelected}
            onEnd={selection.end}
          />
        </PartBoundary>
      )}
      {dialogs.elements}
    </div>
  )
})

/** Up, down, Home and End move between the conversations. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const links = sessionLinks(event.currentTarget)
  const from = links.indexOf(event.target as HTMLElement)
  if (from === -1) return
  const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: links.length - 1 }[event.key]
  if (to === undefined || !links[to]) return
  event.preventDefault()
  links[to].focus()
}

/** Explains why the view is empty. */
function EmptyList({ query, view }: { query: string; view: ListView }) {
  const text = useText('chat')
  const conversationsText = useText('conversations')
  const projectsText = useText('projects')
  const reason = () => {
    if (query !== '') return text('list.noMatch', { query })
    if (view.kind === 'all') return text('list.empty')
    if (view.kind === 'project') return projectsText('empty')
    return conversationsText(`empty.${view.kind}`, view.kind === 'tag' ? { tag: view.tag } : {})
  }
  return <p className="px-3 py-6 text-center text-13 text-pretty text-muted">{reason()}</p>
}

/** End of the loaded conversations; loads more when it comes into view. */
function MoreSessions({ list, scroller }: { list: LoadedSessions; scroller: RefObject<HTMLElement | null> }) {
  const common = useText('app')
  const end = useOnSeen(scroller, () => {
    if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage()
  })
  return (
    <div ref={end} className="flex min-h-12 items-center justify-center">
      {list.isFetchNextPageError ? (
        <InlineError
          text={common('common.loadFailed')}
          retryLabel={common('common.retry')}
          retrying={list.isFetchingNextPage}
          onRetry={() => void list.fetchNextPage()}
        />
      ) : (
        <Spinner size="sm" label={common('common.loading')} />
      )}
    </div>
  )
}

function ListSkeleton({ label }: { label: string }) {
  return (
    <LoadingRegion label={label} className="flex flex-col gap-4 px-3 py-4">
      {['w-4/5', 'w-3/5', 'w-11/12', 'w-2/3', 'w-3/4'].map((width) => (
        <div key={width} className="flex flex-col gap-1.5">
          <Skeleton className={`h-3.5 ${width}`} />
          <Skeleton className="h-3 w-1/3" />
        </div>
      ))}
    </LoadingRegion>
  )
}

type SidebarSessionListProps = {
  currentId: string | null
  /** Element around the search field, for its shortcut. */
  searchField?: RefObject<HTMLDivElement | null>
  /** Called when a conversation, or a new one, is opened. */
  onOpen: () => void
  onRenamed: (sessionId: string, sessionName: string) => void
  onDeleted: (sessionId: string) => void
}
