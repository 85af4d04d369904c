import { type PermissionFlag, permissionFlags } from '@mira/shared/access'

/** The permission flags of a user, in the order in which they are shown; their names are `permissions.<flag>`. */
export const permissions = Object.keys(permissionFlags) as PermissionFlag[]
