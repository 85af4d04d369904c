/** The agents, by the names that people and programs call them. */
export const agentNames = ['CalculatorAgent', 'WeatherAgent', 'NewsAgent', 'ReminderAgent', 'FileAgent'] as const
export type AgentName = (typeof agentNames)[number]

/** Where a call was made: the web app, a conversation, or a program with a personal API token. */
export const agentRunOrigins = ['page', 'chat', 'api'] as const
