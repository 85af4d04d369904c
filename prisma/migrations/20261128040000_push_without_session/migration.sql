-- An API token could add a device until scopes followed the call, and the device stayed when the token was revoked.
DELETE FROM "push_subscriptions" WHERE "auth_session_id" IS NULL;
