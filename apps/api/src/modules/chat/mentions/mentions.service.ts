import { type Mention, type MentionRequest, READ_PAGE, SEARCH_WEB } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import { ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { MentionsStore } from '../attachments/attachments.store.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import type { AnswerContext } from '../projects-and-personas.ts'
import type { WebService } from '../web/web.service.ts'

interface MentionsDeps {
  store: MentionsStore
  agents: Pick<AgentsService, 'tools' | 'agentNameOf'>
  web: Pick<WebService, 'state'>
  projects: Pick<ProjectsService, 'find' | 'answerContextOf'>
}

export type MentionsService = ReturnType<typeof createMentionsService>

/** Resolves mentions in messages: agents and tools to use, projects and tags to limit the knowledge to. */
export function createMentionsService({ store, agents, web, projects }: MentionsDeps) {
  /** Model-facing name of an agent's, connected server's or built-in tool by its displayed name; undefined when unavailable. */
  const toolOf = (userId: string, toolName: string): string | undefined =>
    toolName === SEARCH_WEB
      ? toolName
      : agents.tools(userId).find(({ name }) => agents.agentNameOf(name) === toolName)?.name

  const resolveOne = async (
    { userId, canUseAgents, canSearchMemory }: Caller,
    mention: MentionRequest,
  ): Promise<Mention> => {
    if (mention.kind === 'project') return { ...mention, name: (await projects.find(userId, mention.id)).name }
    if (mention.kind === 'tool' && mention.name === SEARCH_WEB) {
      if (!(await web.state()).search)
        throw new ForbiddenError('Web search isn’t available here.', { code: 'web_search_unavailable' })
      return { ...mention, id: null }
    }
    if (mention.kind === 'agent' || mention.kind === 'tool') {
      if (!canUseAgents) throw new ForbiddenError('Your account does not have permission to do this.')
      if (toolOf(userId, mention.name) === undefined)
        throw new NotFoundError(`${mention.name} isn’t available right now.`, { code: 'agent_unavailable' })
      return { ...mention, id: null }
    }
    if (!canSearchMemory) throw new ForbiddenError('Your account does not have permission to do this.')
    if ((await store.itemsWithTag(userId, mention.name)).length === 0) {
      throw new NotFoundError('Nothing in your library has this tag any more.', { code: 'tag_gone' })
    }
    return { ...mention, id: null }
  }

  /** Context from a mentioned tag or project; `knowledge` is empty when that no longer exists, undefined when it sets no limit. */
  const read = async (caller: Caller, { kind, id, name }: Mention): Promise<Partial<AnswerContext>> => {
    if (kind === 'tag') return { knowledge: await store.itemsWithTag(caller.userId, name) }
    try {
      return await projects.answerContextOf(caller, id ?? '')
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      return { knowledge: [] }
    }
  }

  return {
    /**
     * Checks the mentions of a new message, and completes them for storing.
     * @throws NotFoundError for a project, tag or tool that doesn't exist for the user, ForbiddenError for what they may not use
     */
    resolve: (caller: Caller, requests: MentionRequest[]): Promise<Mention[]> =>
      Promise.all(requests.map((mention) => resolveOne(caller, mention))),

    /**
     * Context of an answer to a message with mentions: it may only use the mentioned agents and tools, and mentioned
     * projects and tags replace the conversation's usual knowledge.
     * @throws ForbiddenError when the conversation's persona may not use a mentioned tool
     */
    async apply(caller: Caller, mentions: Mention[], context: AnswerContext): Promise<AnswerContext> {
      const toolNames = mentions.flatMap(({ kind, name }) => (isTool(kind) ? [name] : []))
      const forbiddenName = toolNames.find(
        (name) => context.allowedTools !== undefined && !context.allowedTools.includes(name),
      )
      if (forbiddenName !== undefined)
        throw new ForbiddenError(`The assistant of this conversation may not use ${forbiddenName}.`, {
          code: 'tool_forbidden',
        })
      const tools = toolNames.flatMap((name) => toolOf(caller.userId, name) ?? [])
      const mentioned = await Promise.all(
        mentions.filter(({ kind }) => !isTool(kind)).map((mention) => read(caller, mention)),
      )
      const itemLists = mentioned.flatMap(({ knowledge }) => (knowledge === undefined ? [] : [knowledge]))
      const toolInstruction = `The person asks for the tools ${tools.join(', ')} in this message: call them, and answer from what they give.`
      return {
        ...context,
        instructions: [
          context.instructions,
          ...mentioned.map(({ instructions = '' }) => instructions),
          tools.length > 0 ? toolInstruction : '',
        ]
          .filter(Boolean)
          .join('\n\n'),
        knowledge: itemLists.length === 0 ? context.knowledge : [...new Set(itemLists.flat())],
        allowedTools:
          toolNames.length === 0 ? context.allowedTools : toolNames.flatMap((name) => withCompanion(name, context)),
        requestedTools: tools,
      }
    },
  }
}

const isTool = (kind: Mention['kind']): boolean => kind === 'agent' || kind === 'tool'

/** A tool with the tools that it needs: a web search also reads the best pages, if the persona may. */
function withCompanion(name: string, { allowedTools }: Pick<AnswerContext, 'allowedTools'>): string[] {
  const mayRead = name === SEARCH_WEB && (allowedTools === undefined || allowedTools.includes(READ_PAGE))
  return mayRead ? [name, READ_PAGE] : [name]
}
