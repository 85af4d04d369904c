import type { Access } from '@mira/shared/access'
import { type ComponentType, lazy, Suspense } from 'react'
import { BrowserRouter, Navigate, Outlet, type RouteObject, useLocation, useRoutes } from 'react-router-dom'
import { LoginPage } from '../features/admin/users/login-page.tsx'
import { loadTexts, useText } from '../lib/i18n/i18n.ts'
import type { TextNamespace } from '../lib/i18n/messages.ts'
import { readLoginState } from '../lib/session/navigation-state.ts'
import { dashboardPath, paths } from '../lib/session/paths.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { lazyScreen } from '../ui/lazy-part.tsx'
import { LoadingRegion, Skeleton } from '../ui/skeleton.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { HomeRedirect, LoginGate, OidcReturnGate, RequireAccess } from './route-guard.tsx'
import { PageError, ScreenError } from './screen-error.tsx'
import { ScreenFrame, type ScreenTitle } from './screen-frame.tsx'
import { Shell } from './shell.tsx'

/** Placeholder for a screen while its code is loading. */
function ScreenSkeleton({ isFull }: { isFull: boolean }) {
  const text = useText('app')
  if (isFull) {
    return (
      <LoadingRegion label={text('common.loading')} className="h-below-bar">
        {null}
      </LoadingRegion>
    )
  }
  return (
    <LoadingRegion label={text('common.loading')} className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-8">
      <Skeleton className="h-7 w-56" />
      <Skeleton className="mt-3 h-4 w-80 max-w-full" />
      <Skeleton className="mt-8 h-64 rounded-card" />
    </LoadingRegion>
  )
}

/** One screen of the app. */
interface Screen {
  path: string
  access: Access
  /** Document title: a key of `titles` in `messages/<language>/app.json`. */
  title: ScreenTitle
  /** Message files loaded together with the screen. */
  texts: readonly TextNamespace[]
  load: () => Promise<ComponentType>
  /** True for a screen that fills the window and scrolls inside itself. */
  isFull?: boolean
}

/** Every screen that needs a signed-in user. */
const screens: readonly Screen[] = [
  {
    path: paths.dashboard,
    access: 'user',
    title: 'dashboard',
    texts: ['dashboard'],
    load: () => import('./dashboard-page.tsx').then((module) => module.DashboardPage),
  },
  {
    path: paths.chat,
    access: 'user',
    title: 'chat',
    texts: ['chat', 'conversations', 'personas', 'projects', 'shares', 'voice', 'errors'],
    load: () => import('../features/chat/chat-page.tsx').then((module) => module.ChatPage),
    isFull: true,
  },
  {
    path: paths.agents,
    access: 'agents',
    title: 'agents',
    texts: ['agents', 'reminders', 'errors'],
    load: async () => {
      const [{ AgentsPage }, { ReminderList }] = await Promise.all([
        import('../features/chat/agents/agents-page.tsx'),
        import('../features/automation/reminders/reminder-list.tsx'),
      ])
      return () => <AgentsPage reminders={<ReminderList />} />
    },
  },
  {
    path: paths.upload,
    access: 'upload',
    title: 'upload',
    texts: ['upload', 'errors'],
    load: () => import('../features/library/upload/upload-page.tsx').then((module) => module.UploadPage),
  },
  {
    path: `${paths.gallery}/:id?`,
    access: 'upload',
    title: 'gallery',
    texts: ['gallery', 'notes', 'errors'],
    load: () => import('../features/library/gallery-page.tsx').then((module) => module.GalleryPage),
    isFull: true,
  },
  {
    path: `${paths.notes}/:id`,
    access: 'upload',
    title: 'notes',
    texts: ['notes', 'errors'],
    load: () => import('../features/library/notes/note-page.tsx').then((module) => module.NotePage),
  },
  {
    path: paths.trash,
    access: 'user',
    title: 'trash',
    texts: ['trash', 'errors'],
    load: () => import('../features/library/trash/trash-page.tsx').then((module) => module.TrashPage),
  },
  {
    path: paths.effects,
    access: 'upload',
    title: 'effects',
    texts: ['effects', 'errors'],
    load: () => import('../features/studio/effects-page.tsx').then((module) => module.EffectsPage),
  },
  {
    path: paths.memory,
    access: 'upload',
    title: 'memory',
    texts: ['memory', 'errors'],
    load: () => import('../features/search/memory-page.tsx').then((module) => module.MemoryPage),
  },
  {
    path: paths.admin,
    access: 'admin',
    title: 'admin',
    texts: ['users', 'sign-in', 'errors'],
    load: () => import('./admin-page.tsx').then((module) => module.AdminPage),
  },
]

/** A component whose code and texts are loaded when it is first shown. */
function lazyPage(load: () => Promise<ComponentType>, texts: readonly TextNamespace[]) {
  return lazy(async () => {
    const [Page] = await Promise.all([load(), loadTexts(...texts)])
    return { default: Page }
  })
}

/** `lazyPage` for a page outside the signed-in frame, with its own query client. */
function lazyStandalonePage(load: () => Promise<ComponentType>, texts: readonly TextNamespace[]) {
  return lazyPage(async () => {
    const [Page, { StandaloneQueries }] = await Promise.all([load(), import('./query-client.tsx')])
    return () => (
      <StandaloneQueries>
        <Page />
      </StandaloneQueries>
    )
  }, texts)
}

/** Sign-in screen that returns to the page requested before. */
function LoginRoute() {
  return <LoginPage {...readLoginState(useLocation())} />
}

const OidcReturnPage = lazyPage(
  () => import('../features/admin/users/sign-in/oidc-return-page.tsx').then((module) => module.OidcReturnPage),
  ['sign-in', 'errors'],
)

const InvitationPage = lazyPage(
  () => import('../features/admin/users/sign-in/invitation-page.tsx').then((module) => module.InvitationPage),
  ['users', 'sign-in', 'errors'],
)

/** Contents of a shared link; needs no account. */
const SharedPage = lazyStandalonePage(
  () => import('../features/chat/shares/shared-page.tsx').then((module) => module.SharedPage),
  ['shares', 'errors', 'chat'],
)

/** Print view of a conversation, without the app's frame. */
const PrintPage = lazyStandalonePage(
  () => import('../features/chat/shares/print-page.tsx').then((module) => module.PrintPage),
  ['shares', 'errors', 'chat'],
)

/** Consent screen for OAuth clients that request access; standalone, because users come from the client and return to it. */
const ConnectPage = lazyStandalonePage(
  () => import('../features/admin/users/oauth/connect-page.tsx').then((module) => module.ConnectPage),
  ['users', 'programs', 'errors'],
)

function screenRoute({ path, access, title, texts, load, isFull = false }: Screen): RouteObject {
  const Page = lazyScreen(
    async () => {
      const [Screen] = await Promise.all([load(), loadTexts(...texts)])
      return () => (
        <ScreenFrame title={title} isFull={isFull}>
          <Screen />
        </ScreenFrame>
      )
    },
    () => <ScreenSkeleton isFull={isFull} />,
  )
  return {
    path,
    element: (
      <RequireAccess access={access}>
        <ErrorBoundary key={path} fallback={(error) => <ScreenError error={error} />}>
          {/* Keyed by screen, so that its skeleton shows immediately instead of the previous screen. */}
          <Suspense key={path} fallback={<ScreenSkeleton isFull={isFull} />}>
            <Page />
          </Suspense>
        </ErrorBoundary>
      </RequireAccess>
    ),
  }
}

const routes: RouteObject[] = [
  { path: paths.home, element: <HomeRedirect /> },
  {
    path: paths.login,
    element: (
      <LoginGate>
        <ScreenFrame title="login" isBare>
          <LoginRoute />
        </ScreenFrame>
      </LoginGate>
    ),
  },
  {
    path: paths.oidcReturn,
    element: (
      <OidcReturnGate>
        <Suspense fallback={<LoadingScreen />}>
          <ScreenFrame title="login" isBare>
            <OidcReturnPage />
          </ScreenFrame>
        </Suspense>
      </OidcReturnGate>
    ),
  },
  {
    path: paths.invitation,
    element: (
      <Suspense fallback={<LoadingScreen />}>
        <ScreenFrame title="invitation" isBare>
          <InvitationPage />
        </ScreenFrame>
      </Suspense>
    ),
  },
  {
    path: `${paths.shared}/:token`,
    element: (
      <Suspense fallback={<LoadingScreen />}>
        <ScreenFrame title="shared" isBare>
          <SharedPage />
        </ScreenFrame>
      </Suspense>
    ),
  },
  {
    path: `${paths.printed}/:id`,
    element: (
      <RequireAccess access="chat">
        <Suspense fallback={<LoadingScreen />}>
          <ScreenFrame title="chat" isBare>
            <PrintPage />
          </ScreenFrame>
        </Suspense>
      </RequireAccess>
    ),
  },
  {
    path: paths.connect,
    element: (
      <RequireAccess access="user">
        <Suspense fallback={<LoadingScreen />}>
          <ScreenFrame title="connect" isBare>
            <ConnectPage />
          </ScreenFrame>
        </Suspense>
      </RequireAccess>
    ),
  },
  {
    element: (
      <RequireAccess access="user">
        <Shell>
          <Outlet />
        </Shell>
      </RequireAccess>
    ),
    children: [
      ...screens.map(screenRoute),
      // The overview links to this path; analytics is a tab of the dashboard.
      {
        path: paths.analytics,
        element: (
          <RequireAccess access="analytics">
            <Navigate to={dashboardPath('analytics')} replace />
          </RequireAccess>
        ),
      },
    ],
  },
  { path: '*', element: <NotFoundPage /> },
]

function Screens() {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname} fallback={(error) => <PageError error={error} />}>
      <CurrentRoute />
    </ErrorBoundary>
  )
}

function CurrentRoute() {
  return useRoutes(routes)
}

/** All routes of the app. */
export function Router() {
  return (
    <BrowserRouter>
      <Screens />
    </BrowserRouter>
  )
}
