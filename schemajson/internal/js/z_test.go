package js
import ("testing";"os";"strings";"fmt";"bufio";"encoding/json")
func TestZ(t *testing.T){
 f,_:=os.Open("/tmp/jsfiles.txt"); sc:=bufio.NewScanner(f); n,bad:=0,0
 for sc.Scan(){ parts:=strings.SplitN(sc.Text()," ",2); b,_:=os.ReadFile(parts[1]); _,err:=Check("function(){"+string(b)+"\n}"); n++
  if (err==nil)!=(parts[0]=="ok") {bad++; fmt.Println(parts,err)}}
 fmt.Println(n,bad)
 b,_:=os.ReadFile("/tmp/mut.jsonl"); fr,fa,ok,no:=0,0,0,0
 for _,l:=range strings.Split(string(b),"\n"){
  var v struct{Ok bool;Msg,S string}; json.Unmarshal([]byte(l),&v); _,err:=Check("function(){"+v.S+"\n}")
  if v.Ok{ok++}else{no++}
  if v.Ok&&err!=nil{fr++; if !strings.Contains(v.S,"<!--")&&!strings.Contains(err.Error(),"counted"){fmt.Printf("REFUSED %.100q %v\n",v.S,err)}}
  if !v.Ok&&err==nil{fa++}}
 fmt.Println("ok",ok,"no",no,"false refusals",fr,"false accepts",fa)
}
