/** The permission flags of a user, in the order in which they are shown; their names are `permissions.<flag>`. */
export const permissions = ['can_chat', 'can_upload', 'can_use_voice', 'can_use_agents'] as const
