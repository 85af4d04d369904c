-- A server that is turned on again, as after a restore, is another receiver as much as one that is added. One that moves as well is
-- notified of by the trigger for that.
CREATE TRIGGER "mcp_servers_notify_enabled" AFTER UPDATE OF "is_enabled" ON "mcp_servers" FOR EACH ROW
WHEN (NEW."is_enabled" AND NOT OLD."is_enabled" AND NEW."url" = OLD."url") EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
