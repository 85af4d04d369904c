import { READ_PAGE, SEARCH_WEB } from './web.ts'

/** The agents, by the names that people and programs call them. */
export const agentNames = ['CalculatorAgent', 'WeatherAgent', 'NewsAgent', 'ReminderAgent', 'FileAgent'] as const
export type AgentName = (typeof agentNames)[number]

/** The tool by which a model proposes to remember a fact of the person; it is told among the calls of agents. */
export const REMEMBER = 'remember'

/** The name of the tool that draws, and of its calls. */
export const MAKE_PICTURE = 'make_picture'

/** The name of the tool that searches the person's memory, and of its calls. */
export const SEARCH_MEMORY = 'search_memory'

/** Built-in tools of answers, in addition to agents and tools of connected servers. */
export const answerToolNames = [SEARCH_MEMORY, REMEMBER, SEARCH_WEB, READ_PAGE, MAKE_PICTURE] as const
export type AnswerToolName = (typeof answerToolNames)[number]

/** Origin of a call: the web app, a conversation, or a program with a personal API token. */
export const agentRunOrigins = ['page', 'chat', 'api'] as const
