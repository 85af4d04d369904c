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

/** Storage quota for the request; empty when the field wasn't changed. */
export function storageLimitOf({ storage_megabytes: typed }: Pick<UserFormValues, 'storage_megabytes'>): {
  storage_limit_bytes?: number | null
} {
  if (typed === null) return {}
  return { storage_limit_bytes: typed.trim() === '' ? null : Number(typed) * MEBIBYTE }
}

const PAGE_SIZE = 30
const usersKey = ['users']

type UserPages = InfiniteData<Page<UserJson>, string | null>

/** Changes made on a user's card. */
type UserChange = Partial<Pick<UserJson, 'is_active' | (typeof permissions)[number]>>

/** All users, or those in the trash, whose username, email or name has `query` in it, page after page. */
export function useUsers(query: string, place: 'accounts' | 'trash') {
  return useInfiniteQuery({
    queryKey: [...usersKey, place, query],
    queryFn: ({ pageParam, signal }) =>
      callPage('GET /admin/users', {
        signal,
        query: { query: query || null, cursor: pageParam, limit: PAGE_SIZE, in: place },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** Makes the account that a form describes, or changes `user` to it. */
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
      // A new user, or one with another name, may stand elsewhere in the lists.
      void queryClient.invalidateQueries({ queryKey: usersKey })
    },
  })
}

/**
 * Changes one user; `onFailure` is called for every change that does not succeed. Changes of one user run one after
 * another.
 */
export function useUpdateUser(user: UserJson, onFailure: (error: Error) => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: [...usersKey, 'update', user.id],
    scope: scopeOf(user),
    mutationFn: (change: UserChange) => call('PUT /admin/users/:id', { params: { id: user.id }, json: change }),
    onSuccess: (updated) => replaceUser(queryClient, updated),
    // Callbacks given to `mutate` are forgotten by the next call of it.
    onError: onFailure,
  })
}

/** The user as they will be when the changes under way succeed; a change that fails is gone by itself. */
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

/** Moves an account to the trash, or deletes it for good. */
export function useDeleteUser(user: UserJson) {
  const takeOff = useTakeOff(user)
  return useMutation({
    mutationFn: ({ password, now }: { password: string | undefined; now: boolean }) =>
      call('DELETE /admin/users/:id', {
        params: { id: user.id },
        query: now ? { now: 'true' } : {},
        json: { current_password: password },
        // a large account takes minutes
        timeoutMs: null,
      }),
    onSuccess: takeOff,
  })
}

/** Takes an account out of the trash. */
export function useRestoreUser(user: UserJson) {
  const takeOff = useTakeOff(user)
  return useMutation({
    mutationFn: () => call('POST /admin/users/:id/restore', { params: { id: user.id } }),
    onSuccess: takeOff,
  })
}

/** Takes an account off the lists, and refetches the list that it is on now. */
function useTakeOff(user: UserJson) {
  const queryClient = useQueryClient()
  return () => {
    changePages(queryClient, (users) => users.filter((one) => one.id !== user.id))
    void queryClient.invalidateQueries({ queryKey: usersKey })
  }
}

/** Changes of one user wait for each other. */
function scopeOf(user: UserJson): { id: string } {
  return { id: `user-${user.id}` }
}

/** Fields that differ from `user`: another administrator may have changed the others since it was loaded. */
function changedFields(fields: UpdateUserJson, user: UserJson): UpdateUserJson {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== user[name as keyof UserJson]))
}

function replaceUser(queryClient: QueryClient, updated: UserJson): void {
  changePages(queryClient, (users) => users.map((user) => (user.id === updated.id ? updated : user)))
  const state = session.state.get()
  if (state.status !== 'signed-in' || state.user.id !== updated.id) return
  session.refresh().catch((error) => console.error('The account could not be fetched again', error))
}

function changePages(queryClient: QueryClient, change: (users: UserJson[]) => UserJson[]): void {
  queryClient.setQueriesData<UserPages>(
    { queryKey: usersKey },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  )
}
