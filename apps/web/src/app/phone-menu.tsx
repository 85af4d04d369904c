import { can } from '@mira/shared/access'
import { CircleHelp, LogOut, type LucideIcon, Moon, Search, Sun } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { NavLink } from 'react-router-dom'
import { useTheme } from '../lib/browser/theme.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { saveTheme } from '../lib/session/account-preferences.ts'
import { useUser } from '../lib/session/session.ts'
import { useSignOut } from '../lib/session/unsent-work.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { classNames } from '../ui/class-names.ts'
import { showCommandPalette } from './command-palette.tsx'
import { firstStepsPath } from './help-menu.tsx'
import { adminLink, mainLinks, mediaLinks } from './navigation.ts'

const rowClass =
  'flex min-h-11 w-full items-center gap-3 rounded-control px-3 text-left text-14 font-medium shade-on-hover'

/** The menu that slides down under the bar of a small screen. */
export function PhoneMenu({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('app')
  const signOut = useSignOut()
  const user = useUser()
  const { theme } = useTheme()
  const name = user.full_name || user.username
  const isDark = theme === 'dark'
  const allowedMedia = mediaLinks.filter(({ access }) => can(user, access))

  return (
    <div className="lg:hidden">
      {/* For pointer users only; keyboard users close the menu with Escape or the menu button. */}
      <div aria-hidden onClick={onClose} className="fixed inset-x-0 top-14 bottom-0 animate-fade-in bg-scrim" />
      <div
        id={id}
        className="absolute inset-x-0 top-full max-h-[calc(100dvh-3.5rem)] overflow-y-auto border-y border-border bg-surface-raised px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))] transition duration-200 starting:-translate-y-2 starting:opacity-0"
      >
        <nav aria-label={text('nav.label')} className="flex flex-col gap-3">
          <MenuSection>
            {mainLinks
              .filter(({ access }) => can(user, access))
              .map(({ name, path, Icon }) => (
                <MenuLink key={name} to={path} Icon={Icon} label={text(`nav.${name}`)} onClose={onClose} />
              ))}
          </MenuSection>
          {allowedMedia.length > 0 && (
            <MenuSection heading={text('nav.mediaTools')}>
              {allowedMedia.map(({ name, path, Icon }) => (
                <MenuLink key={name} to={path} Icon={Icon} label={text(`nav.${name}`)} onClose={onClose} />
              ))}
            </MenuSection>
          )}
          {can(user, adminLink.access) && (
            <MenuSection heading={text('nav.administration')}>
              <MenuLink to={adminLink.path} Icon={adminLink.Icon} label={text('nav.admin')} onClose={onClose} />
            </MenuSection>
          )}
        </nav>
        <div className="mt-3 flex items-center gap-3 border-t border-border px-3 pt-4 pb-2">
          <Avatar name={name} />
          <div className="min-w-0 flex-1">
            <p className="truncate text-14 font-medium">{name}</p>
            <p className="truncate text-13 text-muted">{user.email}</p>
          </div>
          <Badge>{text(`roles.${user.role}`)}</Badge>
        </div>
        <button
          type="button"
          className={rowClass}
          onClick={() => {
            onClose()
            showCommandPalette()
          }}
        >
          <Search aria-hidden className={iconClass} />
          {text('palette.title')}
        </button>
        <NavLink to={firstStepsPath} className={rowClass} onClick={onClose}>
          <CircleHelp aria-hidden className={iconClass} />
          {text('help.firstSteps')}
        </NavLink>
        <button type="button" className={rowClass} onClick={() => saveTheme(isDark ? 'light' : 'dark')}>
          {isDark ? <Sun aria-hidden className={iconClass} /> : <Moon aria-hidden className={iconClass} />}
          {text(isDark ? 'nav.lightMode' : 'nav.darkMode')}
        </button>
        <button type="button" className={rowClass} onClick={() => void signOut()}>
          <LogOut aria-hidden className={iconClass} />
          {text('nav.signOut')}
        </button>
      </div>
    </div>
  )
}

const iconClass = 'size-4.5 shrink-0 text-muted'

function MenuSection({ heading, children }: { heading?: string; children: ReactNode }) {
  const id = useId()
  return (
    <div>
      {heading && (
        <h2 id={id} className="px-3 pb-1 text-12 font-medium text-muted">
          {heading}
        </h2>
      )}
      <ul aria-labelledby={heading ? id : undefined}>{children}</ul>
    </div>
  )
}

function MenuLink({ to, Icon, label, onClose }: { to: string; Icon: LucideIcon; label: string; onClose: () => void }) {
  return (
    <li>
      <NavLink
        to={to}
        // Also closes the menu for a link to the current screen, which doesn't change the address.
        onClick={onClose}
        className={({ isActive }) => classNames(rowClass, isActive && 'bg-accent-soft text-accent-text')}
      >
        {({ isActive }) => (
          <>
            <Icon aria-hidden className={isActive ? 'size-4.5 shrink-0' : iconClass} />
            {label}
          </>
        )}
      </NavLink>
    </li>
  )
}
