/** How long a model that thinks first is asked to think. */
export const reasoningEfforts = ['low', 'medium', 'high'] as const

/** What stands for the id of the connection that the environment describes. */
export const ENVIRONMENT_CONNECTION = 'environment'

/** What stands for the name of a connection where a model runs on this server. */
export const LOCAL_CONNECTION = 'local'
