import type { UpdateUserJson, UserJson } from '@mira/shared'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { call, callPage, type Page } from '../../../lib/api/client.ts'
import { session } from '../../../lib/session/session.ts'
import type { permissions } from './permission-fields.tsx'
import type { UserFormValues } from './user-form.ts'

/** Storage quota as part of the request; an empty object when the field wasn't changed. */
export function storageLimitOf({ storage_megabytes: input }: Pick<UserFormValues, 'storage_megabytes'>): {
  storage_limit_bytes?: number | null
} {
  if (input === null) return {}
  return { storage_limit_bytes: input.trim() === '' ? null : Number(input) * MEBIBYTE }
}

const PAGE_SIZE = 30
const usersKey = ['users']

type UserPages = InfiniteData<Page<UserJson>, string | null>

/** Changes made on a user's card. */
type UserChange = Partial<Pick<UserJson, 'is_active' | (typeof permissions)[number]>>

/** Accounts outside or inside the trash whose username, email or name contains `query`, page by page. */
export function useUsers(query: string, list: 'accounts' | 'trash') {
  return useInfiniteQuery({
    queryKey: [...usersKey, list, query],
    queryFn: ({ pageParam, signal }) =>
      callPage('GET /admin/users', {
        signal,
        query: { query: query || null, cursor: pageParam, limit: PAGE_SIZE, in: list },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** Creates an account from a form, or updates `user`. */
export function useSaveUser(user: UserJson | null) {
  const queryClient = useQueryClient()
  return useMutation({
    scope: user ? scopeOf(user) : undefined,
    mutationFn: ({ is_active, password, current_password, storage_megabytes, ...values }: UserFormValues) => {
      const fields = {
        ...values,
        full_name: values.full_name.trim() || null,
        ...storageLimitOf({ storage_megabytes }),
        ...(current_password && { current_password }),
      }
      return user
        ? call('PUT /admin/users/:id', {
            params: { id: user.id },
            json: { ...changedFields({ ...fields, is_active }, user), ...(password && { password }) },
          })
        : call('POST /admin/users', { json: { ...fields, password } })
    },
    onSuccess: (saved) => {
      replaceUser(queryClient, saved)
      void queryClient.invalidateQueries({ queryKey: storageKeyOf(saved) })
      // A new or renamed user may be anywhere in the sorted lists.
      void queryClient.invalidateQueries({ queryKey: usersKey })
    },
  })
}

/**
 * Changes one user; `onFailure` is called for every failed change. Changes to one user run one after
 * another.
 */
export function useUpdateUser(user: UserJson, onFailure: (error: Error) => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: [...usersKey, 'update', user.id],
    scope: scopeOf(user),
    mutationFn: (change: UserChange) => call('PUT /admin/users/:id', { params: { id: user.id }, json: change }),
    onSuccess: (updated) => replaceUser(queryClient, updated),
    // Callbacks passed to `mutate` are dropped by its next call.
    onError: onFailure,
  })
}

/** The user with pending changes applied; a change that fails is no longer pending, so it disappears. */
export function useOptimisticUser(user: UserJson): UserJson {
  const changes = useMutationState({
    filters: { mutationKey: [...usersKey, 'update', user.id], status: 'pending' },
    select: (mutation) => mutation.state.variables as UserChange,
  })
  return Object.assign({}, user, ...changes) as UserJson
}

/** Storage use and quota of a user. */
export function useUserStorage(user: UserJson) {
  return useQuery({
    queryKey: storageKeyOf(user),
    queryFn: ({ signal }) => call('GET /admin/users/:id/storage', { params: { id: user.id }, signal }),
  })
}

function storageKeyOf({ id }: UserJson) {
  return ['user-storage', id]
}

/** Moves an account to the trash, or deletes it permanently. */
export function useDeleteUser(user: UserJson) {
  const removeFromLists = useRemoveFromLists(user)
  return useMutation({
    mutationFn: ({ password, now }: { password: string | undefined; now: boolean }) =>
      call('DELETE /admin/users/:id', {
        params: { id: user.id },
        query: now ? { now: 'true' } : {},
        json: { current_password: password },
        // deleting a large account takes minutes
        timeoutMs: null,
      }),
    onSuccess: removeFromLists,
  })
}

/** Restores an account from the trash. */
export function useRestoreUser(user: UserJson) {
  const removeFromLists = useRemoveFromLists(user)
  return useMutation({
    mutationFn: () => call('POST /admin/users/:id/restore', { params: { id: user.id } }),
    onSuccess: removeFromLists,
  })
}

/** Function that removes an account from the cached lists and refetches them, because it's on another list now. */
function useRemoveFromLists(user: UserJson) {
  const queryClient = useQueryClient()
  return () => {
    changeCachedPages(queryClient, (users) => users.filter((one) => one.id !== user.id))
    void queryClient.invalidateQueries({ queryKey: usersKey })
  }
}

/** Mutation scope that runs changes to one user in sequence. */
function scopeOf(user: UserJson): { id: string } {
  return { id: `user-${user.id}` }
}

/** Only the fields that differ from `user`, since another administrator may have changed the rest after it was loaded. */
function changedFields(fields: UpdateUserJson, user: UserJson): UpdateUserJson {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== user[name as keyof UserJson]))
}

function replaceUser(queryClient: QueryClient, updated: UserJson): void {
  changeCachedPages(queryClient, (users) => users.map((user) => (user.id === updated.id ? updated : user)))
  const state = session.state.get()
  if (state.status !== 'signed-in' || state.user.id !== updated.id) return
  session.refresh().catch((error) => console.error('Failed to refetch the account', error))
}

function changeCachedPages(queryClient: QueryClient, change: (users: UserJson[]) => UserJson[]): void {
  queryClient.setQueriesData<UserPages>(
    { queryKey: usersKey },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  )
}
