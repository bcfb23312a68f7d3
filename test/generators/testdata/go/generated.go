// Package generated contains the clients of programs.
package generated
