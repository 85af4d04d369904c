import { can } from '@mira/shared/access'
import { ChevronDown, LogOut, Menu, Moon, Sun, X } from 'lucide-react'
import { type ComponentProps, type RefObject, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Link, NavLink, useLocation, useNavigate } from 'react-router-dom'
import { NotificationBell } from '../features/automation/notifications/notification-bell.tsx'
import { ReminderToasts } from '../features/automation/reminders/reminder-toasts.tsx'
import { AnswerNotices } from '../features/chat/conversation/answer-notices.tsx'
import { assistantName } from '../lib/browser/page-meta.ts'
import { useTheme } from '../lib/browser/theme.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { useStore } from '../lib/loading/store.ts'
import { saveTheme } from '../lib/session/account-preferences.ts'
import { dashboardPath, paths } from '../lib/session/paths.ts'
import { session, useUser } from '../lib/session/session.ts'
import { type UploadActivity, uploadActivityStore, useSignOut } from '../lib/session/unsent-work.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { BrandMark } from '../ui/brand-mark.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { DropdownMenu } from '../ui/dropdown-menu.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { showToast } from '../ui/show-toast.ts'
import { Spinner } from '../ui/spinner.tsx'
import { HelpMenu } from './help-menu.tsx'
import { adminLink, mainLinks, mediaLinks } from './navigation.ts'
import { PhoneMenu } from './phone-menu.tsx'

/** Link to the upload screen that shows the uploads' progress on all other screens, and a toast when they have ended. */
function UploadChip() {
  const text = useText('app')
  const activity = useStore(uploadActivityStore)
  const { pathname } = useLocation()
  useUploadsEndedToast(pathname)
  if (activity === null || pathname === paths.upload) return null
  const { number, count } = activity
  return (
    <Link
      to={paths.upload}
      aria-label={text('uploads.running', { number, count })}
      className="ml-auto inline-flex h-8 touch-target shrink-0 items-center gap-1.5 rounded-full bg-accent-soft px-3 text-13 font-medium text-accent-text tabular-nums shade-on-hover lg:ml-2"
    >
      <Spinner size="sm" />
      <span aria-hidden className="max-sm:hidden">
        {text('uploads.running', { number, count })}
      </span>
      <span aria-hidden className="sm:hidden">
        {number}/{count}
      </span>
    </Link>
  )
}

/** Shows a toast when all uploads have ended while another screen is open. */
function useUploadsEndedToast(pathname: string): void {
  const text = useText('app')
  const navigate = useNavigate()
  const last = useRef<UploadActivity | null>(null)
  const notify = useEffectEvent((ended: UploadActivity) => {
    // Signing out stops the uploads, which needs no message.
    if (pathname === paths.upload || session.state.get().status !== 'signed-in') return
    const { count, failed } = ended
    showToast({
      tone: failed > 0 ? 'warning' : 'success',
      title: failed > 0 ? text('uploads.failed', { count: failed }) : text('uploads.done', { count }),
      action: { label: text('uploads.show'), onSelect: () => void navigate(paths.upload) },
    })
  })
  useEffect(
    () =>
      uploadActivityStore.subscribe((activity) => {
        if (activity === null && last.current !== null) notify(last.current)
        last.current = activity
      }),
    [],
  )
}

/** Top bar of every signed-in screen. */
export function NavBar({ isMenuOpen, onMenuOpenChange }: NavBarProps) {
  const text = useText('app')
  const menuButton = useRef<HTMLButtonElement>(null)
  const [isBellOpen, setIsBellOpen] = useState(false)
  const close = () => onMenuOpenChange(false)
  useMenuClosing(isMenuOpen, close, menuButton)

  return (
    <header className="sticky top-0 z-30 border-b border-border bg-surface-raised">
      <div className="mx-auto flex h-14 w-full max-w-page items-center gap-2 px-4 sm:px-6">
        <Link
          to={paths.dashboard}
          className="mr-2 flex min-w-0 touch-target items-center gap-2.5 rounded-control text-16 font-semibold tracking-tight"
        >
          <BrandMark />
          <span className="truncate">{assistantName()}</span>
          <Badge tone="accent">{text('badge')}</Badge>
        </Link>
        <DesktopLinks />
        <div className="ml-auto flex min-w-0 shrink-0 items-center gap-1">
          <UploadChip />
          {/* the bar doesn't wait for the texts of these parts */}
          <Suspense fallback={<span className="size-9 shrink-0" />}>
            <NotificationBell isOpen={isBellOpen} onOpenChange={setIsBellOpen} />
            <AnswerNotices />
            <ReminderToasts onShowNotifications={() => setIsBellOpen(true)} />
          </Suspense>
          <span className="max-lg:hidden">
            <HelpMenu />
          </span>
        </div>
        <DesktopAccount />
        <button
          ref={menuButton}
          type="button"
          aria-expanded={isMenuOpen}
          aria-controls="phone-menu"
          aria-label={text(isMenuOpen ? 'nav.closeMenu' : 'nav.openMenu')}
          onClick={() => onMenuOpenChange(!isMenuOpen)}
          className="grid size-11 shrink-0 place-items-center rounded-control text-text shade-on-hover lg:hidden"
        >
          {isMenuOpen ? <X aria-hidden className="size-5" /> : <Menu aria-hidden className="size-5" />}
        </button>
      </div>
      {isMenuOpen && <PhoneMenu id="phone-menu" onClose={close} />}
    </header>
  )
}

/** Closes the phone's menu on Escape, on navigation and when the window becomes wide. */
function useMenuClosing(isOpen: boolean, close: () => void, button: RefObject<HTMLButtonElement | null>): void {
  const { pathname, search } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when the address changes
  useEffect(() => close(), [pathname, search])

  // biome-ignore lint/correctness/useExhaustiveDependencies: listens while it is open
  useEffect(() => {
    if (!isOpen) return
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      button.current?.focus()
    }
    const wide = matchMedia('(min-width: 1024px)')
    document.addEventListener('keydown', closeOnEscape)
    wide.addEventListener('change', close)
    return () => {
      document.removeEventListener('keydown', closeOnEscape)
      wide.removeEventListener('change', close)
    }
  }, [isOpen])
}

function DesktopLinks() {
  const text = useText('app')
  const user = useUser()
  const { pathname } = useLocation()
  const media = mediaLinks.filter(({ access }) => can(user, access))
  const isInMedia = media.some(({ path }) => path === pathname || pathname.startsWith(`${path}/`))

  return (
    <nav aria-label={text('nav.label')} className="hidden items-center gap-0.5 lg:flex">
      {mainLinks
        .filter(({ access }) => can(user, access))
        .map(({ name, path }) => (
          <BarLink key={name} to={path}>
            {text(`nav.${name}`)}
          </BarLink>
        ))}
      {media.length > 0 && (
        <DropdownMenu
          trigger={
            <button type="button" aria-current={isInMedia || undefined} className={barLinkClass(isInMedia)}>
              {text('nav.media')}
              <ChevronDown aria-hidden className="size-4 opacity-70" />
            </button>
          }
          entries={media.map(({ name, path, Icon }) => ({
            key: name,
            label: text(`nav.${name}`),
            description: text(`nav.${name}Hint`),
            icon: <Icon aria-hidden />,
            link: <Link to={path} aria-current={path === pathname ? 'page' : undefined} />,
          }))}
        />
      )}
      {can(user, adminLink.access) && <BarLink to={adminLink.path}>{text('nav.admin')}</BarLink>}
    </nav>
  )
}

function BarLink({ to, children }: Pick<ComponentProps<typeof NavLink>, 'to'> & { children: string }) {
  return (
    <NavLink to={to} end className={({ isActive }) => barLinkClass(isActive)}>
      {children}
    </NavLink>
  )
}

function barLinkClass(isActive: boolean): string {
  return classNames(
    'inline-flex h-9 touch-target items-center gap-1 rounded-control px-3 text-14 font-medium transition-colors',
    isActive ? 'bg-accent-soft text-accent-text' : 'text-muted shade-on-hover hover:text-text',
  )
}

function DesktopAccount() {
  const text = useText('app')
  const signOut = useSignOut()
  const user = useUser()
  const { theme } = useTheme()
  const name = user.full_name || user.username
  const isDark = theme === 'dark'
  return (
    <div className="hidden min-w-0 items-center gap-2 lg:flex">
      <IconButton
        name={text(isDark ? 'nav.toLight' : 'nav.toDark')}
        icon={isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
        tooltipSide="bottom"
        onClick={() => saveTheme(isDark ? 'light' : 'dark')}
      />
      <Link
        to={dashboardPath('settings')}
        title={text('nav.account')}
        className="flex h-10 min-w-0 items-center gap-2.5 rounded-control px-2 shade-on-hover"
      >
        <Avatar name={name} size="sm" />
        <span className="min-w-0 leading-tight">
          <span className="block max-w-44 truncate text-13 font-medium">{name}</span>
          <span className="block text-12 text-muted">{text(`roles.${user.role}`)}</span>
        </span>
      </Link>
      <Button variant="ghost" icon={<LogOut aria-hidden />} onClick={() => void signOut()}>
        {text('nav.logout')}
      </Button>
    </div>
  )
}

type NavBarProps = { isMenuOpen: boolean; onMenuOpenChange: (isOpen: boolean) => void }
