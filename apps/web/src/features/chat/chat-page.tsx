import { can } from '@mira/shared/access'
import { HatGlasses, MessageCircleOff, MessageCircleX } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { Link, type SetURLSearchParams, useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { useShortcut } from '../../lib/browser/keyboard.ts'
import { assistantName, useTitle } from '../../lib/browser/page-meta.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import {
  MESSAGE_PARAMETER,
  PERSONA_PARAMETER,
  PROJECT_PARAMETER,
  paths,
  TEMPORARY_PARAMETER,
} from '../../lib/session/paths.ts'
import { useUser } from '../../lib/session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { ChatContext, type Chat as ChatState } from './chat-context.ts'
import { usePersona, useProject } from './chat-queries.ts'
import { useDrafts, useMessage } from './composer/use-message.ts'
import { updateChatSession } from './conversation/chat-calls.ts'
import type { Conversation } from './conversation/conversation.ts'
import type { ConversationState } from './conversation/conversation-state.ts'
import { useChatStream } from './conversation/use-chat-stream.ts'
import { useViewKey } from './conversation/use-view-key.ts'
import { preloadMarkdown } from './messages/markdown.tsx'
import type { RequestedMessage } from './messages/message-list.tsx'
import { useDefaultModelChoice } from './models/use-models.ts'
import { ChatHeader } from './screen/chat-header.tsx'
import { ConversationView } from './screen/conversation-view.tsx'
import { type ListPanel, ListSheet, ListSidebar, useListPanel } from './sidebar/list-panel.tsx'
import { SessionList } from './sidebar/session-list.tsx'
import { useDeletionHandler } from './sidebar/use-session-changes.ts'

/** The chat screen: the conversation named in the URL, or a new one, beside the list of all conversations. */
export function ChatPage() {
  const text = useText('chat')
  const user = useUser()
  const [parameters] = useSearchParams()
  const isTemporary = parameters.has(TEMPORARY_PARAMETER)
  // Keyed, so that temporary and stored chats share no state.
  if (can(user, 'chat')) return <Chat key={isTemporary ? 'temporary' : 'stored'} isTemporary={isTemporary} />
  return (
    <div className="grid flex-1 place-items-center">
      <div>
        <h1 className="sr-only">{text('title', { assistant: assistantName() })}</h1>
        <EmptyState icon={<MessageCircleOff />} title={text('notAllowed.title')} text={text('notAllowed.text')} />
      </div>
    </div>
  )
}

function Chat({ isTemporary }: { isTemporary: boolean }) {
  const text = useText('chat')
  const [parameters, setParameters] = useSearchParams()
  const drafts = useDrafts({ isTemporary })
  const urlSessionId = isTemporary ? null : parameters.get('session') || null
  const urlProjectId = parameters.get(PROJECT_PARAMETER)
  const newChatProject = useProject(urlProjectId)
  const urlPersonaId = parameters.get(PERSONA_PARAMETER)
  const newChatPersona = usePersona(urlPersonaId)
  const choiceOfNew = useDefaultModelChoice(newChatPersona?.model ?? newChatProject?.model)
  const { conversation, state } = useChatStream(urlSessionId, drafts, {
    isTemporary,
    choiceOfNew,
    projectId: urlProjectId,
    personaId: urlPersonaId,
  })
  const persona = usePersona(state.sessionId === null ? urlPersonaId : state.personaId)
  const project = useProject(state.sessionId === null ? urlProjectId : state.projectId)
  const viewKey = useViewKey(state)
  const searchParams: [URLSearchParams, SetURLSearchParams] = [parameters, setParameters]
  const message = useMessage({ drafts, sessionId: state.sessionId, viewKey, isTemporary, searchParams })
  const requestedMessage = useMessageFromUrl(state.sessionId, parameters, setParameters)
  const panel = useListPanel()
  const field = useRef<HTMLTextAreaElement>(null)
  const searchField = useRef<HTMLDivElement>(null)

  useTitle(state.sessionId === null ? text(isTemporary ? 'temporary.name' : 'newConversation') : state.sessionName)
  useEffect(() => preloadMarkdown(), [])
  useEffect(() => {
    // Not on phones, where the keyboard would cover the messages.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [])

  const startNew = () => {
    panel.closeSheet()
    field.current?.focus()
  }
  useChatShortcuts({ panel, field, searchField, onNew: startNew })
  const naming = useNaming(conversation, state)
  const handleDeleted = useDeletionHandler(state.sessionId, drafts.forgetSession)
  const list = (
    <SessionList
      currentId={state.sessionId}
      searchField={searchField}
      onOpen={panel.closeSheet}
      onRenamed={naming.handleRenamed}
      onDeleted={handleDeleted}
    />
  )

  const chat: ChatState = {
    conversation,
    state,
    viewKey,
    isTemporary,
    persona,
    projectName: project?.name,
    choice: state.choice ?? choiceOfNew,
    requestedMessage,
    message,
    field,
  }
  return (
    <ChatContext value={chat}>
      <div className="flex min-h-0 flex-1">
        <ListSidebar panel={panel}>{list}</ListSidebar>
        <div className="flex min-w-0 flex-1 flex-col">
          <ChatHeader
            isListShown={panel.isListShown}
            onShowList={panel.toggle}
            onRename={naming.rename}
            onNewChat={startNew}
          />
          {isTemporary && <TemporaryNote />}
          {state.status === 'missing' ? <MissingConversation /> : <ConversationView />}
        </div>
        <ListSheet panel={panel}>{list}</ListSheet>
      </div>
    </ChatContext>
  )
}

/** Explains that nothing of a temporary conversation is stored. */
function TemporaryNote() {
  const text = useText('chat')
  return (
    <p className="flex shrink-0 items-start gap-2 border-b border-border bg-accent-soft px-4 py-2 text-13">
      <HatGlasses aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        <span className="font-medium">{text('temporary.title')}</span> {text('temporary.text')}
      </span>
    </p>
  )
}

/** Message for a conversation that was deleted or belongs to someone else. */
function MissingConversation() {
  const text = useText('chat')
  return (
    <EmptyState
      className="m-auto"
      icon={<MessageCircleX />}
      title={text('missing.title')}
      text={text('missing.text')}
      action={
        <Link to={paths.chat} className={buttonClass({ variant: 'primary' })}>
          {text('newChat')}
        </Link>
      }
    />
  )
}

/** Renames the current conversation, from its header or the list. */
function useNaming(conversation: Conversation, { sessionId, sessionName: previousName }: ConversationState) {
  const text = useText('chat')
  const errorText = useErrorText()
  const rename = (sessionName: string) => {
    if (sessionId === null) return
    conversation.rename(sessionName)
    updateChatSession(sessionId, { session_name: sessionName }).catch((error) => {
      if (conversation.state.get().sessionId === sessionId) conversation.rename(previousName)
      showToast({ tone: 'danger', title: text('rename.failed'), description: errorText(error) })
    })
  }
  // Memoised, so that the list isn't rerendered for every word of an answer.
  const handleRenamed = useCallback(
    (renamedId: string, sessionName: string) => {
      if (renamedId === conversation.state.get().sessionId) conversation.rename(sessionName)
    },
    [conversation],
  )
  return { rename, handleRenamed }
}

/** Keyboard shortcuts, active outside text fields. */
function useChatShortcuts({ panel, field, searchField, onNew }: ChatShortcutsOptions): void {
  const text = useText('chat')
  const navigate = useNavigate()
  const group = text('shortcuts.group')
  useShortcut({
    key: 'n',
    label: text('newChat'),
    group,
    onPress: () => {
      void navigate(paths.chat)
      onNew()
    },
  })
  useShortcut({ key: 'l', label: text('shortcuts.toggleList'), group, onPress: panel.toggle })
  useShortcut({
    key: '/',
    label: text('list.search'),
    group,
    onPress: () => {
      if (!panel.isListShown) panel.toggle()
      requestAnimationFrame(() => searchField.current?.querySelector('input')?.focus())
    },
  })
  useShortcut({ key: 'm', label: text('shortcuts.write'), group, onPress: () => field.current?.focus() })
}

interface ChatShortcutsOptions {
  panel: ListPanel
  field: RefObject<HTMLTextAreaElement | null>
  /** Element around the list's search field. */
  searchField: RefObject<HTMLDivElement | null>
  onNew: () => void
}

/** The message that the URL links to, once its conversation is shown; `onSettled` removes it from the URL. */
function useMessageFromUrl(
  sessionId: string | null,
  parameters: URLSearchParams,
  setParameters: SetURLSearchParams,
): RequestedMessage | null {
  const id = parameters.get('session') === sessionId ? parameters.get(MESSAGE_PARAMETER) : null
  // 'default' is the router's key for a history entry that it didn't create: the page was opened by a typed URL or from elsewhere.
  const isFromOutside = useLocation().key === 'default'
  const latestSetParameters = useRef(setParameters)
  useEffect(() => {
    latestSetParameters.current = setParameters
  }, [setParameters])
  return (
    useMemo(
      () =>
        id && {
          id,
          isFromOutside,
          onSettled: () =>
            latestSetParameters.current(
              (before) => {
                const rest = new URLSearchParams(before)
                rest.delete(MESSAGE_PARAMETER)
                return rest
              },
              { replace: true },
            ),
        },
      [id, isFromOutside],
    ) || null
  )
}
